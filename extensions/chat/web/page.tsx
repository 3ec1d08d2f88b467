import { definePage } from '@platform/kit';
import { Chats } from './chats.js';
import './page.css';

export default definePage({
  views: { '/chat': Chats, '/chat/:session_id': Chats, '/chat/:session_id/:message_id': Chats, '/chat/with/:member_id': Chats },
});
