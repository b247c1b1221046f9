import { showEmail } from '../../shared/kit/email.ts';
import { SESSION_SECONDS } from '../../shared/accounts/session-token.ts';
import type { Result } from '../http/types.ts';

type User = Result<'getMe', 200>['user'];
type Session = Result<'login', 200>;

export type UserRow = {
  id: string;
  email: string;
  name: string;
  type: string;
  verified: boolean;
  email_notifications: boolean;
  role: string;
  created_at: Date;
};

export const userColumns = [
  'id',
  'email',
  'name',
  'type',
  'role',
  'verified',
  'email_notifications',
  'created_at',
] as const;

/** A user as they see themselves; others never see the address. */
export function presentUser(row: UserRow): User {
  return {
    id: row.id,
    email: showEmail(row.email),
    name: row.name,
    type: row.type as User['type'],
    role: row.role as User['role'],
    verified: row.verified,
    created_at: row.created_at.toISOString(),
    email_notifications: row.email_notifications,
  };
}

/** A user who has just logged in, with the session token. */
export function presentSession(row: UserRow, token: string): Session {
  return { user: presentUser(row), token, token_type: 'bearer', expires_in: SESSION_SECONDS };
}
