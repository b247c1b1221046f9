import { useState } from 'preact/hooks';
import { api } from '../api.js';
import { html } from '../html.js';
import { Button, Select } from '../parts.js';

const roleWords = { user: 'a user without a role', moderator: 'a moderator', admin: 'an administrator' };
const roleTexts = {
  user: 'They can do what every member can, and nothing here.',
  moderator: 'They can decide on listings and duplicates.',
  admin: 'They can do everything here, also to you.',
};

/** What an administrator can do for somebody or about them. */
export function PersonActions({ detail: { account, second_factors: factors }, onChange, onSuspend }) {
  const { id, name, role, status, verified } = account;
  const act = (what, body) => async () => {
    await api.post(`/api/admin/users/${id}/${what}`, body);
    await onChange();
  };
  const [next, setNext] = useState(role);
  const isSuspended = status === 'suspended';
  const mayHaveLost = factors.app || factors.passkeys > 0;
  return html`<div class="row">
    ${
      isSuspended
        ? html`<${Button}
            kind="primary"
            confirm=${{ title: 'Lift the suspension?', text: 'What was hidden and has not expired is on show again. API keys stay revoked.', action: 'Lift it', danger: false }}
            onClick=${act('unsuspend')}
            done="Lifted: ${name}"
            >Lift the suspension<//
          >`
        : html`<button type="button" class="danger" onClick=${onSuspend}>Suspend …</button>
            <${Button} onClick=${act('sign-in-link')} done="A link to sign in is on its way to them.">Mail a sign-in link<//>`
    }
    <${Button}
      confirm=${{ title: 'Log this person out everywhere?', text: 'Sessions end at once. API keys stay.', action: 'Log out' }}
      onClick=${act('logout')}
      done="Logged out: ${name}"
      >Log out everywhere<//
    >
    ${
      mayHaveLost &&
      html`<${Button}
        confirm=${{
          title: `Remove the second factors of ${name}?`,
          text: 'Do so only when you have recognised them another way. The authenticator app, its recovery codes and the passkeys are removed, sessions end, and they are told by mail. They sign in with their password or a mailed link.',
          action: 'Remove them',
        }}
        onClick=${act('reset-second-factors')}
        done="${name} has no second factor any more, and is told by mail."
        >Remove lost second factors …<//
      >`
    }
    ${
      !verified &&
      html`<${Button}
        confirm=${{ title: 'Take the address for proved?', text: 'Do so only when you know that it is theirs.', action: 'Take it for proved', danger: false }}
        onClick=${act('verify-email')}
        done="Verified: ${name}"
        >Verify the email<//
      >`
    }
    <${Select} label="Role" value=${next} options=${['user', 'moderator', 'admin']} onChange=${setNext} />
    ${
      next !== role &&
      html`<${Button}
        confirm=${{ title: `Make ${name} ${roleWords[next]}?`, text: roleTexts[next], action: 'Change the role' }}
        onClick=${act('role', { role: next })}
        done="${name} is now ${roleWords[next]}."
        >Change the role …<//
      >`
    }
  </div>`;
}
