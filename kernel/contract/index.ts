/** The only part of the kernel that an extension imports. */
export type * from './channel.js';
export * from './clock-check.js';
export * from './data.js';
export type * from './door.js';
export type * from './extension.js';
export * from './failure.js';
export type * from './installation.js';
export * from './installation-codes.js';
export type * from './journal.js';
export * from './lease-judge.js';
export type * from './maintenance.js';
export type * from './manifest.js';
export * from './network.js';
export type * from './operation.js';
export type * from './seats.js';
export type * from './service-member.js';
export type * from './socket.js';
export * from './together.js';
