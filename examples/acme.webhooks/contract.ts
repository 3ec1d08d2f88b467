/** Posts what other systems report into one session. */
export interface Hook {
  /** 32 hex digits. */
  id: string;
  name: string;
  session_id: string;
  created_at: string;
  /** Where it is posted, below the platform's address. */
  path: string;
  posted: number;
  last_at: string | null;
  /** Why the last one was not posted; null where it was. */
  error: string | null;
}

/** A delivery whose signature was found right. */
export interface Received {
  hook: string;
  /** By which the same one is known again. */
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
