import type { Journal } from '../../../contract/journal.js';
import type { Frame, FrameReviewer, FrameSender, Readers } from '../../../contract/socket.js';
import type { ClientFrames } from '../../../core/invoke/client-frames.js';
import type { Broadcast, Pusher } from '../../journal/pusher.js';
import type { Device, PresenceRecord } from '../../presence/presences.js';

/** Services of the platform for sockets. */
export interface SocketPlatform {
  journal: Journal;
  presence: {
    connect(member_id: number): Device;
    present(): PresenceRecord[];
    listen(listener: (changes: readonly PresenceRecord[]) => void): void;
  };
  /** Returns who may read a topic; undefined if there is no such topic. */
  readers(topic: string): Readers | undefined;
  /** Returns what a member may see now of a stored frame that it gets late; undefined leaves out the frame. */
  review(frame: Frame, member_id: number): Promise<object | undefined>;
  /** Handles a frame registered by an extension; returns false if there is none. */
  receive(frame: Frame, sender: FrameSender): Promise<boolean>;
  /** Listens to frames that are not stored; returns the function that stops it. */
  broadcasts(listener: (broadcast: Broadcast) => void): Promise<() => Promise<void>>;
}

interface Parts extends Pick<SocketPlatform, 'journal' | 'presence'> {
  frames: ClientFrames;
  pusher: Pusher;
  /** Returns the contributions to the slot `frames.review`. */
  reviewers: () => readonly FrameReviewer[];
}

export function socketPlatform({ journal, presence, frames, pusher, reviewers }: Parts): SocketPlatform {
  return {
    journal,
    presence,
    readers: (topic) => frames.readers(topic),
    review: async (frame, member_id) => {
      const found = reviewers().find(({ types }) => types.includes(frame.type));
      return found ? found.review(frame, member_id) : frame.data;
    },
    receive: (frame, sender) => frames.receive(frame, sender),
    broadcasts: (listener) => pusher.listen(listener),
  };
}
