/** Loaded before a server of its own (`--import`): its clock goes ahead by what its parent says, in ms; behind where that is negative. */
const now = Date.now;
let ahead_ms = 0;

Date.now = () => now() + ahead_ms;
process.on('message', (message: { ahead_ms: number }) => {
  ahead_ms = message.ahead_ms;
});
// Nobody waits for a word that may never come.
process.channel?.unref();
