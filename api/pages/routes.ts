import { sitePaths } from '../../shared/kit/site-links.ts';
import { changeAccount, showAccount } from './account.ts';
import { showHome } from './home.ts';
import { reply, showConversation, showInbox } from './inbox.ts';
import { changeSavedSearches, showFavorites, showSavedSearches } from './kept.ts';
import { reportListing, toggleFavorite, writeToSeller } from './listing-actions.ts';
import { showListing } from './listing.ts';
import { editListing, sell, showEditListing, showMyListings, showSell } from './my-listings.ts';
import type { PageHandler } from './page-handler.ts';
import { promote, showPromote } from './promote.ts';
import { answerBooking, book, showBookings, showRental, showRentals } from './rentals.ts';
import { showSearch } from './search.ts';
import { showSeller } from './seller.ts';
import { showUnsubscribe, unsubscribe } from './unsubscribe.ts';
import {
  forgotPassword,
  redeemSignInLink,
  resetPassword,
  showForgotPassword,
  showResetPassword,
  showSignIn,
  showSignInLink,
  showVerifyEmail,
  signIn,
  signOut,
  verifyEmailByLink,
} from './sign-in.ts';

/** A page: its path as Express has it, what shows it, and what its forms do. */
export type PageRoute = { path: string; show?: PageHandler; act?: PageHandler };

const pathOf = (page: keyof typeof sitePaths) =>
  sitePaths[page]
    .split('?', 1)
    .join()
    .replaceAll(/\{(\w+)\}/g, ':$1');

/** Every page for people. */
export const pageRoutes: readonly PageRoute[] = [
  { path: pathOf('home'), show: showHome },
  { path: pathOf('search'), show: showSearch },
  { path: pathOf('listing'), show: showListing },
  { path: `${pathOf('listing')}/message`, act: writeToSeller },
  { path: `${pathOf('listing')}/favorite`, act: toggleFavorite },
  { path: `${pathOf('listing')}/report`, act: reportListing },
  { path: pathOf('seller'), show: showSeller },
  { path: pathOf('sign_in'), show: showSignIn, act: signIn },
  { path: pathOf('sign_out'), act: signOut },
  { path: pathOf('sign_in_link'), show: showSignInLink, act: redeemSignInLink },
  { path: pathOf('verify_email'), show: showVerifyEmail, act: verifyEmailByLink },
  { path: pathOf('forgot_password'), show: showForgotPassword, act: forgotPassword },
  { path: pathOf('reset_password'), show: showResetPassword, act: resetPassword },
  { path: pathOf('sell'), show: showSell, act: sell },
  { path: pathOf('my_listings'), show: showMyListings },
  { path: pathOf('edit_listing'), show: showEditListing, act: editListing },
  { path: pathOf('promote'), show: showPromote, act: promote },
  { path: pathOf('account'), show: showAccount, act: changeAccount },
  { path: pathOf('rentals'), show: showRentals },
  { path: pathOf('rental'), show: showRental, act: book },
  { path: pathOf('bookings'), show: showBookings, act: answerBooking },
  { path: pathOf('inbox'), show: showInbox },
  { path: pathOf('conversation'), show: showConversation, act: reply },
  { path: pathOf('favorites'), show: showFavorites },
  { path: pathOf('unsubscribe'), show: showUnsubscribe, act: unsubscribe },
  { path: pathOf('saved_searches'), show: showSavedSearches, act: changeSavedSearches },
];
