/** Ends a benchmark's process in its own way where the one that started it has ended, or failed before it could end this one. */
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));

export {};
