import type { OpenApi, ParameterObject, SchemaObject } from '../../../kernel/platform/http/docs/openapi.js';

/** One operation, as somebody knows it who has the document alone. */
export interface Endpoint {
  id: string;
  method: string;
  /** Parameters as `{name}`. */
  path: string;
  parameters: readonly ParameterObject[];
  body: { type: string; schema: SchemaObject } | undefined;
  /** By status: the codes of a failure, or the type and shape of a success. */
  answers: ReadonlyMap<number, { codes: readonly string[]; type: string | undefined; schema: SchemaObject | undefined }>;
}

/** Reads what a server says that can be asked of it, references resolved. */
export async function readDocument(url: string): Promise<Endpoint[]> {
  const { paths, components } = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApi;
  const resolve = (schema: SchemaObject | undefined): SchemaObject | undefined => {
    const name = typeof schema?.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined;
    return name === undefined ? schema : components.schemas[name];
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Endpoint => {
      const [type, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
      const schema = resolve(content?.schema);
      const answers = Object.entries(operation.responses).map(([status, { description, content: given = {} }]) => {
        const [type, one] = Object.entries(given)[0] ?? [];
        const codes = Number(status) < 400 ? [] : [...description.matchAll(/`(\w+)`/g)].map(([, code = '']) => code);
        return [Number(status), { codes, type, schema: resolve(one?.schema) }] as const;
      });
      return {
        id: operation.operationId ?? `${method} ${path}`,
        method: method.toUpperCase(),
        path,
        parameters: operation.parameters ?? [],
        body: type === undefined || schema === undefined ? undefined : { type, schema },
        answers: new Map(answers),
      };
    }),
  );
}
