/** A member who reads a session. */
export interface Reader {
  session_id: string;
  member_id: number;
}

export function keyOf({ session_id, member_id }: Reader): string {
  return `${member_id} ${session_id}`;
}
