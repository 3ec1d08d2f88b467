/** A hook, which posts reports of other systems into one session. */
export interface Hook {
  /** 32 hex digits. */
  id: string;
  name: string;
  session_id: string;
  created_at: string;
  /** The path that deliveries are sent to, below the platform's address. */
  path: string;
  posted: number;
  last_at: string | null;
  /** Why the last delivery was not posted; null if it was. */
  error: string | null;
}

/** A delivery with a valid signature. */
export interface Received {
  hook: string;
  /** Marks that identify a repeated delivery. */
  marks: string[];
  text: string;
}

/** Inputs and answers. */
export interface Own {
  id: 'acme.webhooks';
  api: {
    'acme.webhooks.create': { input: { session_id: string; name: string }; answer: Hook & { secret: string } };
    'acme.webhooks.list': { input: object; answer: Hook[] };
    'acme.webhooks.delete': { input: { id: string }; answer: undefined };
    'acme.webhooks.receive': { input: { id: string }; answer: { accepted: true; duplicate: boolean } };
  };
  service: object;
  events: { 'acme.webhooks.received': Received };
}
