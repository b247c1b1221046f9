import type { Result } from '../http/types.ts';

type User = Result<'getMe', 200>['user'];

export type UserRow = {
  id: string;
  email: string;
  name: string;
  type: string;
  verified: boolean;
  email_notifications: boolean;
  created_at: Date;
};

export const userColumns = ['id', 'email', 'name', 'type', 'verified', 'email_notifications', 'created_at'] as const;

/** A user as they see themselves; others never see the address. */
export function presentUser(row: UserRow): User {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    type: row.type as User['type'],
    verified: row.verified,
    created_at: row.created_at.toISOString(),
    email_notifications: row.email_notifications,
  };
}
