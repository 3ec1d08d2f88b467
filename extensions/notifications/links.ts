export function chatLink(session_id: string | null): string | null {
  return session_id === null ? null : `/chat/${session_id}`;
}
