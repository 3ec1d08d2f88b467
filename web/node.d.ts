/** Contracts mention Node's bytes, in types of what runs in the server. Pages never get one. */
interface Buffer extends Uint8Array {}
