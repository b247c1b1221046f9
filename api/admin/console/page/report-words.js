/** What a reported thing is called, by its kind. */
export const kinds = { listing: 'Listing', user: 'Person', review: 'Review', message: 'Message' };

/** Why something is reported, and the rule that a decision names. */
export const reasonNames = {
  spam: 'Spam',
  fraud: 'Fraud',
  inappropriate: 'Inappropriate',
  duplicate: 'Duplicate',
  illegal: 'Illegal',
  other: 'Something else',
};

/** What was decided, as a row of a list tells it. */
export const decided = {
  dismiss: 'dismissed',
  hide: 'hidden',
  remove: 'removed',
  warn: 'warned',
  suspend: 'suspended',
  propose_suspension: 'suspension proposed',
};

/** The actions that there are for each kind, with what they do. */
export const actionsOf = {
  listing: ['hide', 'remove', 'warn'],
  user: ['warn'],
  review: ['remove', 'warn'],
  message: ['remove', 'warn'],
};

/** The name of each action, and what whoever presses it should know. */
export const actionTexts = {
  hide: { name: 'Hide …', title: 'Hide this listing?', text: 'Nobody finds it until somebody decides otherwise.' },
  remove: { name: 'Remove …', title: 'Remove this?', text: 'It is gone for everybody; an appeal can bring it back.' },
  warn: { name: 'Warn …', title: 'Warn its owner?', text: 'Nothing is taken away. The warning stays on record.' },
  suspend: {
    name: 'Suspend its owner …',
    title: 'Suspend its owner?',
    text: 'They are logged out everywhere, and all they have on show is hidden.',
  },
  propose_suspension: {
    name: 'Propose a suspension …',
    title: 'Propose to suspend its owner?',
    text: 'Administrators see the proposal. The reports stay open until they decide.',
  },
};

/** Reasons in words, the most frequent first. */
export const countReasons = (reasons) =>
  Object.entries(reasons)
    .toSorted(([, one], [, other]) => other - one)
    .map(([reason, count]) => `${reasonNames[reason]} ${count}`)
    .join(', ');
