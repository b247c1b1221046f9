/** The texts of connecting applications to an account, in English. */
export const connectEn = {
  connect: {
    title: 'Connect {app}?',
    text: '{app} wants to act for you at {brand}. You are signed in as {email}.',
    leads: {
      host: 'Your answer goes to {host}.',
      loopback: 'Your answer goes to a program on this computer ({host}).',
      app: 'Your answer goes to an application on this device, by addresses that begin with {host}:',
    },
    unverified: 'The application chose its name itself. Agree only if you have just asked it to connect.',
    may: 'It may',
    scopes: {
      read: 'see your account: listings, messages, favorites and bookings (always)',
      'listings:write': 'change your drafts, listings, photos, favorites and saved searches',
      messages: 'write messages, bookings and reviews in your name, and set up webhooks',
      publish: 'publish listings, offer rentals and order paid promotion',
      admin: 'manage the whole marketplace, with everything above',
    },
    moderate: 'decide on listings, reports and duplicates, with everything above',
    allow: 'Allow',
    deny: 'Do not allow',
    end: 'You can disconnect it at any time in your account.',
    refused: 'This application cannot be connected',
    unknownText:
      'It is not registered here, or no longer, or it named an address that is not its own. Remove the connection in the application, then add it again.',
    invalidText: 'The application has asked in a way that this site does not support. Nothing was allowed.',
    back: 'Back to the application',
    applications: 'Connected applications',
    applicationsText: 'Agents and programs that you have allowed to act for you.',
    used: 'last used {date}',
    disconnect: 'Disconnect',
  },
};
