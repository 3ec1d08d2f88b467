import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';

const cert = `-----BEGIN CERTIFICATE-----
MIIBmjCCAUGgAwIBAgIUe9ySUK2K7sabSel0AOY3h0MBJTEwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMDEwMTIzNloYDzIxMjYxMDI3
MTAxMjM2WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQnPpk8j8+qxc/srX77eFjVJ/B5ysQzV54MR+D5X1b152u0sRpCfdyQ
/4z15giWylElqxn8X2onvKWw1lAqVS5zo28wbTAdBgNVHQ4EFgQUbSdOcryvqKjT
RTDG/wIxmwFb9QMwHwYDVR0jBBgwFoAUbSdOcryvqKjTRTDG/wIxmwFb9QMwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDRwAwRAIgf+Sp32B9w8QOPk444hBA+/TQk6ZOZ4wiRrz6tyZvt58CIBet
jQJ4rDtT3YAYhjA7lni8IZ1GBfoTl9kEeSe+PSuR
-----END CERTIFICATE-----`;
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgAMhX6blOFbPu6yPB
dpHdJFQVj9G29l+qmFDZxFmTmcyhRANCAAQnPpk8j8+qxc/srX77eFjVJ/B5ysQz
V54MR+D5X1b152u0sRpCfdyQ/4z15giWylElqxn8X2onvKWw1lAqVS5z
-----END PRIVATE KEY-----`;

/** A certificate for this machine alone, which nothing trusts; its key is no secret. */
export const ownCertificate = { cert, key };

/** An https server on this machine. Until the test ends this process asks for no good certificates. */
export async function startSecureServer(t: Test, answer: RequestListener): Promise<string> {
  const server = createServer(ownCertificate, answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  t.teardown(() => {
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    server.closeAllConnections();
    server.close();
  });
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
