import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const text = z.string().max(2_000);

/** Registers the two tasks that people come with. */
export function registerPrompts(server: McpServer): void {
  server.registerPrompt(
    'sell_my_boat',
    {
      title: 'Sell my boat',
      description: 'From photos and a few words to a published listing.',
      argsSchema: z.object({
        boat: text.describe('What is for sale, in your own words.'),
        photos: text.optional().describe('Addresses of photos, separated by spaces.'),
      }),
    },
    ({ boat, photos }) =>
      ask(`I want to sell this: ${boat}
${photos ? `Photos: ${photos}\n` : ''}
1. draft_listing from my words${photos ? ' and the photos' : ''}; ask me for what it says is missing, and check the attributes with category_attributes.
2. price_guidance with what you know, and tell me what like ones cost.
3. create_listing, and show me the draft.
4. Only when I agree: publish_listing with confirm: true.`),
  );
  server.registerPrompt(
    'find_me_a_boat',
    {
      title: 'Find me a boat',
      description: 'From a wish to three boats compared, and a message to a seller.',
      argsSchema: z.object({ wish: text.describe('What it is for, how large, where.'), budget: text.optional() }),
    },
    ({ wish, budget }) =>
      ask(`I am looking for a boat: ${wish}${budget ? `. My budget: ${budget}` : ''}

1. list_categories and category_attributes for the filters that fit, then search_listings; relax what finds too little.
2. compare_listings for the best three, price_guidance with price for each, get_seller for who sells them.
3. Tell me which one you would look at first, and why.
4. Only when I agree: send_message to its seller, with confirm: true. Offer to save_search for news.`),
  );
}

const ask = (text: string) => ({ messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }] });
