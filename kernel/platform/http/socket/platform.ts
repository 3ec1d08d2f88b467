import type { Journal } from '../../../contract/journal.js';
import type { Frame, FrameSender, Readers } from '../../../contract/socket.js';
import type { ClientFrames } from '../../../core/invoke/client-frames.js';
import type { Broadcast, Pusher } from '../../journal/pusher.js';
import type { Device, PresenceRecord } from '../../presence/presences.js';

/** What the sockets need of the platform beyond HTTP. */
export interface SocketPlatform {
  journal: Journal;
  presence: {
    connect(member_id: number): Device;
    present(): PresenceRecord[];
    listen(listener: (changes: readonly PresenceRecord[]) => void): void;
  };
  /** Who may read a topic; undefined where there is none of that name now. */
  readers(topic: string): Readers | undefined;
  /** Handles a frame that an extension has registered; false where none has. */
  receive(frame: Frame, sender: FrameSender): Promise<boolean>;
  /** Hears the frames that are not kept; gives a function that ends it. */
  broadcasts(heard: (broadcast: Broadcast) => void): Promise<() => Promise<void>>;
}

interface Parts extends Pick<SocketPlatform, 'journal' | 'presence'> {
  frames: ClientFrames;
  pusher: Pusher;
}

export function socketPlatform({ journal, presence, frames, pusher }: Parts): SocketPlatform {
  return {
    journal,
    presence,
    readers: (topic) => frames.readers(topic),
    receive: (frame, sender) => frames.receive(frame, sender),
    broadcasts: (hear) => pusher.listen(hear),
  };
}
