/** Errors of RFC 8628, section 3.5, and of RFC 6749, section 5.2, with a sentence for the program's author. */
const descriptions = {
  authorization_pending: 'Nobody has confirmed the code yet',
  slow_down: 'You ask too often; wait five seconds longer between requests',
  access_denied: 'The login was refused',
  expired_token: 'The code has expired; start again',
  invalid_grant: 'There is no such device code: it was used, or never existed',
  invalid_request: 'The request is malformed, or a parameter is missing',
  invalid_client: 'Unknown client_id; use platform-cli',
  unsupported_grant_type: 'Use urn:ietf:params:oauth:grant-type:device_code',
} as const;

export type DeviceErrorCode = keyof typeof descriptions;

/** Error of the device flow, in the standard's terms. */
export class DeviceError extends Error {
  readonly code: DeviceErrorCode;

  constructor(code: DeviceErrorCode) {
    super(descriptions[code]);
    this.code = code;
  }

  toResponse(): Response {
    return Response.json({ error: this.code, error_description: this.message }, { status: this.code === 'invalid_client' ? 401 : 400 });
  }
}
