/** Returns the journal topic of a member's frames. */
export function memberTopic(member_id: number): string {
  return `member:${member_id}`;
}
