import type { OperationAudience } from '../../../contract/operation.js';
import type { DescribedEvents } from './events.js';
import type { DescribedFrames } from './frames.js';

/** The parts of an OpenAPI 3.0 document that are used here. */
export interface OpenApi {
  openapi: string;
  info: { title: string; version: string; description?: string; license?: { name: string; url: string } };
  servers: { url: string; description?: string }[];
  tags: { name: string; description?: string }[];
  security: SecurityRequirement[];
  paths: Paths;
  components: { schemas: Schemas; securitySchemes: Record<string, object> };
}

export type Paths = Record<string, Record<string, OperationObject>>;
export type Schemas = Record<string, SchemaObject>;
export type SchemaObject = Record<string, unknown>;
export type SecurityRequirement = Record<string, string[]>;

export interface OperationObject {
  summary?: string;
  description?: string;
  operationId?: string;
  tags?: string[];
  parameters?: ParameterObject[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, ResponseObject>;
  security?: SecurityRequirement[];
  /** Members who get the same answer. */
  'x-audience'?: OperationAudience;
  /** Events of a stream; OpenAPI has no words for them. */
  'x-events'?: DescribedEvents;
  /** Frames of the socket. */
  'x-frames'?: DescribedFrames;
}

export interface ParameterObject {
  name: string;
  in: 'path' | 'query' | 'header';
  description?: string;
  required?: boolean;
  schema: SchemaObject;
  example?: unknown;
}

export interface ResponseObject {
  description: string;
  content?: Content;
}

export type Content = Record<string, { schema: SchemaObject; example?: unknown }>;

/** A reference to a named schema of the document. */
export function reference(name: string): SchemaObject {
  return { $ref: `#/components/schemas/${name}` };
}
