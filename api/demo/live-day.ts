import { addMilliseconds, HOUR_MS } from '../../shared/kit/clock.ts';
import type { Demo, Kept } from './demo.ts';
import { createDice, type Dice } from './draw/dice.ts';
import type { Listed } from './list-stock.ts';
import type { People } from './people.ts';
import { daysAgo, DAYS } from './past.ts';

const questions = [
  'Hello, is this still there? I could come and have a look at the weekend.',
  'Hi! How long have you had it, and is there anything that needs work?',
  'Good morning. Would you take a little less for a quick deal?',
  'Are there more photos? I am mostly interested in the details.',
  'Could it be brought to me, and what would that be?',
];
const answers = [
  'Yes, it is. Saturday from ten would be fine.',
  'About four years. Everything works, it only wants somebody with time.',
  'A little, yes: come and see it first, then we talk.',
  'I shall add some tonight. Is there anything you would like to see from close by?',
  'Within fifty miles I can bring it along.',
];
const replies = [
  'Perfect, see you then!',
  'Thank you, that helps. I will think about it until tomorrow.',
  'Good. I take it.',
];
const praise = [
  [5, 'Exactly as described, and a friendly handover.'],
  [5, 'Quick answers, fair price. Gladly again.'],
  [4, 'All fine, only finding the place took a while.'],
  [4, 'Honest about the small faults. Recommended.'],
  [3, 'In the end it was all right, the paperwork took longer than promised.'],
] as const;
const reports = [
  { reason: 'fraud', description: 'The same text and photo stand on another site for half the price.' },
  { reason: 'duplicate', description: 'This one is listed twice.' },
  { reason: 'other', description: 'The place cannot be right.' },
] as const;

/** What people do on one day: talk and agree, lower prices, sell and review, keep what they like, report what looks odd. */
export async function liveDay(demo: Demo, { buyers }: People, day: number, all: readonly Listed[]): Promise<void> {
  const dice = createDice(`day ${day}`);
  const ago = DAYS - 1 - day;
  const open = all.filter(({ isPublic }) => isPublic);
  if (open.length === 0) return;
  const evening = daysAgo(demo.now, ago, 20);
  for (let n = 0; n < 2; n += 1) await lowerPrice(demo, dice, dice.pick(open), evening);
  for (let n = 0; n < 3; n += 1)
    await demo.perform(dice.pick(buyers), evening, 'addFavorite', { body: { listing_id: dice.pick(open).id } });
  if (ago === 0) return;
  const [wanted, buyer] = [dice.pick(open), dice.pick(buyers)];
  await talk(demo, dice, wanted, buyer, daysAgo(demo.now, ago, 11));
  if (day % 2 === 1) await sell(demo, dice, wanted, buyer, evening);
  const others = open.filter(({ isPublic, id }) => isPublic && id !== wanted.id);
  if (day % 9 === 8 && others.length > 0) {
    const odd = dice.pick(others);
    await demo.perform(buyer, evening, 'flagListing', { params: { id: odd.id }, body: dice.pick(reports) });
  }
}

async function lowerPrice({ perform }: Demo, dice: Dice, listed: Listed, at: Date): Promise<void> {
  listed.price = Math.round(listed.price * dice.between(0.88, 0.97));
  const price = { amount: listed.price, currency: 'USD', negotiable: true };
  await perform(listed.seller, at, 'updateListing', { params: { id: listed.id }, body: { price } });
}

async function talk({ perform, now }: Demo, dice: Dice, listed: Listed, buyer: Kept, at: Date): Promise<void> {
  const topic = dice.whole(0, questions.length - 1);
  const later = (hours: number) => {
    const then = addMilliseconds(at, hours * HOUR_MS);
    return then < now ? then : now;
  };
  const { body } = await perform(buyer, at, 'startConversation', {
    body: { listing_id: listed.id, message: questions[topic]! },
  });
  if (dice.chance(0.15)) return;
  const of = { params: { id: body.id } };
  await perform(listed.seller, later(1.5), 'sendMessage', { ...of, body: { content: answers[topic]! } });
  if (dice.chance(0.6)) await perform(buyer, later(2), 'sendMessage', { ...of, body: { content: dice.pick(replies) } });
}

async function sell({ perform }: Demo, dice: Dice, listed: Listed, buyer: Kept, at: Date): Promise<void> {
  listed.isPublic = false;
  await perform(listed.seller, at, 'markListingSold', {
    params: { id: listed.id },
    body: { sale_price: Math.round(listed.price * 0.97), currency: 'USD', buyer_id: buyer.id },
  });
  const [rating, comment] = dice.pick(praise);
  await perform(buyer, addMilliseconds(at, HOUR_MS), 'createReview', {
    params: { id: listed.id },
    body: { rating, comment },
  });
}
