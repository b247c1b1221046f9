/** The roles of accounts, each of which may do all that those before it may. */
export const roles = ['user', 'moderator', 'admin'] as const;
export type Role = (typeof roles)[number];

/** Whether a role may do what is open to that least role. */
export const reachesRole = (role: Role, least: Role): boolean => roles.indexOf(role) >= roles.indexOf(least);
