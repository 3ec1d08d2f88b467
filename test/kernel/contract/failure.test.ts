import t from 'tap';
import { failures, isFailure } from '../../../kernel/contract/failure.js';

t.test('a failure has the status of its code', async (t) => {
  const failure = failures({ room_taken: 409 })('room_taken', "Room 'blue' is taken until 10:00");
  t.match(failure, { code: 'room_taken', status: 409, message: "Room 'blue' is taken until 10:00" });
  t.ok(isFailure(failure));
});
