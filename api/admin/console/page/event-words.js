const words = {
  'listing.created': 'Created',
  'listing.updated': 'Changed',
  'listing.published': 'Published',
  'listing.sold': 'Sold',
  'listing.expired': 'Expired',
  'listing.deleted': 'Deleted',
  'listing.flagged': 'Hidden until somebody decides',
  'listing.rewritten': 'Rewritten in another language',
  'premium.activated': 'Promoted',
  'message.received': 'Got a message',
  'review.created': 'Was reviewed',
  'saved_search.matched': 'A saved search has new matches',
  'moderation.decided': 'Moderators decided',
  'user.changed': 'Account changed',
  'user.left': 'Left',
  'rental.changed': 'Rental changed',
  'run.completed': 'A run has ended',
  'run.failed': 'A run has failed',
  'run.cancelled': 'A run was cancelled',
};

/** What an event of the journal is called where people read it. */
export const nameEvent = (type) => words[type] ?? type;
