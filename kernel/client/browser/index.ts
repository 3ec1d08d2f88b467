/** The client for web pages. Nothing that it imports needs Node. */
export { Failure, type Fault, isFailure } from '../../contract/failure.js';
export type { OperationData } from '../../contract/manifest.js';
export type { Step, StreamEvent } from '../../contract/operation.js';
export { type Client, connect } from '../connect.js';
export type { NamedBlob, Upload } from '../form.js';
export type { LineWord } from '../resuming-stream.js';
export type { SocketFrame } from '../socket-frame.js';
export type { CallOptions, Request, Transport } from '../transport.js';
export type { TokenSource } from './access-token.js';
export type { BackOff } from './back-off.js';
export { type BrowserOptions, type BrowserParts, type BrowserTransport, browser } from './browser.js';
export type { BrowserApi } from './browser-api.js';
export { entryOperation } from './entry-operation.js';
export type { Hint } from './hints.js';
export type { LineState, Live, LiveOptions } from './live.js';
export type { BrowserFile } from './reply.js';
export type { BrowserSocket, LineLimits, WebSocketClass } from './socket-line.js';
export type { UploadRequest } from './upload.js';
