import { createClient, unwrap } from '../../client.ts';
import { CommandError, stringFlag, type Command } from '../command.ts';
import { credentialsFile, readCredentials, writeCredentials } from '../credentials.ts';

/** Keeps a credential for a marketplace, after it was shown to work. */
export const loginCommand: Command = {
  name: 'login',
  summary: 'keep an API key or a session for a marketplace, readable by you alone',
  positionals: '',
  arity: [0, 0],
  flags: {
    email: { type: 'string', value: 'EMAIL', about: 'log in with a password (a session of 7 days) instead of a key' },
  },
  async run({ baseUrl, env, isJson, ask, print, printJson }, values) {
    const email = stringFlag(values, 'email');
    const given = stringFlag(values, 'token');
    const secret = given ?? (await ask(email === undefined ? 'API key: ' : 'Password: ', { isSecret: true }));
    if (!secret) throw new CommandError('Nothing was given.');
    const isKey = email === undefined || given !== undefined;
    const token = isKey ? secret.trim() : await logIn(baseUrl, email, secret);
    const { user } = await unwrap(createClient({ baseUrl, token }).GET('/api/me'));
    const file = credentialsFile(env);
    const { tokens } = await readCredentials(file);
    await writeCredentials(file, { current: baseUrl, tokens: { ...tokens, [baseUrl]: token } });
    if (isJson) printJson({ url: baseUrl, user, file });
    else print(`Logged in to ${baseUrl} as ${user.email}; kept in ${file}`);
  },
};

/** A session; without the credential that may be kept, which may be over. */
async function logIn(baseUrl: string, email: string, password: string): Promise<string> {
  const { token } = await unwrap(createClient({ baseUrl }).POST('/api/auth/login', { body: { email, password } }));
  return token;
}

/** Forgets the credential of a marketplace. */
export const logoutCommand: Command = {
  name: 'logout',
  summary: 'forget the credential of a marketplace',
  positionals: '',
  arity: [0, 0],
  flags: {},
  async run({ baseUrl, env, isJson, print, printJson }) {
    const file = credentialsFile(env);
    const { current, tokens } = await readCredentials(file);
    const { [baseUrl]: token, ...others } = tokens;
    if (token === undefined) throw new CommandError(`There is no login at ${baseUrl}.`);
    await writeCredentials(file, { current: current === baseUrl ? undefined : current, tokens: others });
    if (isJson) printJson({ url: baseUrl });
    else print(`Logged out of ${baseUrl}`);
  },
};
