import { sitePaths } from '../../shared/kit/site-links.ts';
import type { OperationId } from '../http/contract.ts';
import { decideConsent, showConsent } from '../oauth/consent-page.ts';
import { oauthPaths } from '../oauth/metadata.ts';
import { changeAccount, showAccount } from './account.ts';
import { addPhotos, editListing, showAddPhotos, showEditListing } from './edit-listing.ts';
import { showFavorites } from './favorites.ts';
import { showHome } from './home.ts';
import { reply, showConversation, showInbox } from './inbox.ts';
import { reportListing, showListingForm, toggleFavorite, writeToSeller } from './listing-actions.ts';
import { fetchExport, leaveByLink, showExport, showLeaveByLink } from './leaving.ts';
import { showListing } from './listing.ts';
import { showMyListings } from './my-listings.ts';
import type { PageHandler } from './page-handler.ts';
import { appealByForm, showNotices } from './notices.ts';
import { promote, showPromote } from './promote.ts';
import { answerBooking, book, showBookings, showRental, showRentals } from './rentals.ts';
import { showSearch } from './search.ts';
import { sendReport, showReport, showReports } from './reports.ts';
import { answerReview, showReviews } from './reviews.ts';
import { changeSavedSearches, showSavedSearches } from './saved-searches.ts';
import { sell, showSell } from './sell.ts';
import { blockSeller, showSeller } from './seller.ts';
import {
  forgotPassword,
  redeemSignInLink,
  resetPassword,
  showForgotPassword,
  showResetPassword,
  showSignIn,
  showSignInLink,
  showSignOut,
  showVerifyEmail,
  signIn,
  signOut,
  verifyEmailByLink,
} from './sign-in.ts';
import { showUnsubscribe, unsubscribeByLink } from './unsubscribe.ts';

/** A page: its path as Express has it, what shows it, what its forms do, and the operation that takes the files of its form. */
export type PageRoute = { path: string; show?: PageHandler; act?: PageHandler; upload?: OperationId };

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
  { path: `${pathOf('listing')}/message`, show: showListingForm, act: writeToSeller },
  { path: `${pathOf('listing')}/favorite`, show: showListingForm, act: toggleFavorite },
  { path: `${pathOf('listing')}/report`, show: showListingForm, act: reportListing },
  { path: pathOf('seller'), show: showSeller, act: blockSeller },
  { path: pathOf('report'), show: showReport, act: sendReport },
  { path: pathOf('reports'), show: showReports },
  { path: pathOf('notices'), show: showNotices, act: appealByForm },
  { path: pathOf('sign_in'), show: showSignIn, act: signIn },
  { path: pathOf('sign_out'), show: showSignOut, act: signOut },
  { path: pathOf('sign_in_link'), show: showSignInLink, act: redeemSignInLink },
  { path: `${pathOf('sign_in_link')}/leave`, show: showLeaveByLink, act: leaveByLink },
  { path: pathOf('verify_email'), show: showVerifyEmail, act: verifyEmailByLink },
  { path: pathOf('forgot_password'), show: showForgotPassword, act: forgotPassword },
  { path: pathOf('reset_password'), show: showResetPassword, act: resetPassword },
  { path: pathOf('sell'), show: showSell, act: sell },
  { path: pathOf('my_listings'), show: showMyListings },
  { path: pathOf('edit_listing'), show: showEditListing, act: editListing },
  { path: `${pathOf('edit_listing')}/photos`, show: showAddPhotos, act: addPhotos, upload: 'addListingImages' },
  { path: pathOf('promote'), show: showPromote, act: promote },
  { path: pathOf('account'), show: showAccount, act: changeAccount },
  { path: pathOf('data_export'), show: showExport, act: fetchExport },
  { path: oauthPaths.authorize, show: showConsent, act: decideConsent },
  { path: pathOf('rentals'), show: showRentals },
  { path: pathOf('rental'), show: showRental, act: book },
  { path: pathOf('bookings'), show: showBookings, act: answerBooking },
  { path: pathOf('reviews'), show: showReviews, act: answerReview },
  { path: pathOf('inbox'), show: showInbox },
  { path: pathOf('conversation'), show: showConversation, act: reply },
  { path: pathOf('favorites'), show: showFavorites },
  { path: pathOf('saved_searches'), show: showSavedSearches, act: changeSavedSearches },
  { path: pathOf('unsubscribe'), show: showUnsubscribe, act: unsubscribeByLink },
];
