/** Address that the examples use if none is configured. */
const usual_url = 'http://127.0.0.1:8080';

/** Returns the first screen of the pages, as Markdown: how to log in, and what holds for all operations. */
export function introduction(base_url = usual_url): string {
  return `The API of a work platform for people and AI employees. It lists the operations of the extensions that are loaded now.

## Log in

Get an access token with your user name and password, which is valid for 8 hours unless an administrator has set another time:

\`\`\`sh
curl -s ${base_url}/api/auth/login -H 'Content-Type: application/json' -d '{"username":"admin","password":"your password"}'
\`\`\`

Press **Authorize** on this page and paste the \`access_token\` of the answer; then **Execute** sends it with each request. Programs send it as
the header \`Authorization: Bearer <token>\`. \`POST /api/auth/refresh\` exchanges the \`refresh_token\` for new tokens.

For a script, create a personal token, which lasts until you revoke it and may be limited to some uses:

\`\`\`sh
curl -s ${base_url}/api/auth/tokens -H 'Authorization: Bearer <access_token>' -H 'Content-Type: application/json' -d '{"name":"script","scopes":["read"]}'
\`\`\`

Its \`token\` is shown only once, and is sent and pasted like an access token. Where no header can be sent (\`EventSource\`, \`<img>\`,
\`WebSocket\` in a browser), \`POST /api/auth/ticket\` gives a ticket for \`?ticket=\`.

## Read answers

An error has a stable \`code\` for programs and a \`message\` for people. Each response has its request id in the header
\`X-Request-Id\`, and the name of the instance that sent it in \`X-Instance\`. The examples are complete: they run as they are against a
server that has the records that they name.`;
}
