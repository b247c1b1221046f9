import { disconnectApplication, listConnectedApplications } from './accounts/applications.ts';
import { createApiKey, listApiKeys, revokeApiKey } from './accounts/api-keys.ts';
import { blockUser, listBlocks, unblockUser } from './accounts/blocks.ts';
import { listMyExpiringListings } from './accounts/expiring.ts';
import { downloadExport, getExport, requestExport } from './accounts/export.ts';
import { declareTrader, getMyTrader, withdrawTrader } from './accounts/trader.ts';
import { deleteMe } from './accounts/leave.ts';
import { listMyListings, listUserListings } from './accounts/listings.ts';
import { login } from './accounts/login.ts';
import { changePassword } from './accounts/change-password.ts';
import { logoutAll } from './accounts/logout-all.ts';
import { requestMagicLink, verifyMagicLink } from './accounts/magic-link.ts';
import { getMe, updateMe } from './accounts/me.ts';
import { getAccountPage } from './accounts/page.ts';
import {
  createPasskey,
  createPasskeyLoginOptions,
  createPasskeyOptions,
  deletePasskey,
  listPasskeys,
  loginWithPasskey,
} from './accounts/passkeys.ts';
import { confirmPasswordReset, requestPasswordReset } from './accounts/password-reset.ts';
import { register } from './accounts/register.ts';
import { endSession, listSessions } from './accounts/sessions.ts';
import { confirmTotp, getTotp, removeTotp, startTotp } from './accounts/totp.ts';
import { getUser } from './accounts/user.ts';
import { resendVerification, verifyEmail } from './accounts/verify-email.ts';
import { adminHandlers } from './admin/operations.ts';
import { getAssetType, listAssetTypes } from './catalog/asset-types.ts';
import { getCategory, listCategories, listCategoriesFlat } from './catalog/categories.ts';
import { listConversations } from './conversations/list.ts';
import { markConversationRead } from './conversations/mark-read.ts';
import { getConversation } from './conversations/read.ts';
import { sendMessage } from './conversations/send.ts';
import { startConversation } from './conversations/start.ts';
import { getDocs } from './discovery/docs.ts';
import { getListingsAtom, getListingsRss } from './feeds/listings-feed.ts';
import { getProducts } from './feeds/products.ts';
import { getSitemap, getSitemapPage } from './feeds/sitemap.ts';
import {
  getDiscovery,
  getManifest,
  getOpenapiJson,
  getOpenapiYaml,
  getRobots,
  getSecurityTxt,
} from './discovery/documents.ts';
import { getDatabaseHealth, getHealth } from './discovery/health.ts';
import { getLlms, getLlmsFull } from './discovery/llms.ts';
import { getAgentCard, getApiCatalog, getOpenapiSlice, getOperationReference, getReference } from './discovery/maps.ts';
import { getMetrics } from './discovery/metrics.ts';
import { getListingSchema, getListingSchemaMarkdown, listSchemas } from './discovery/schemas.ts';
import { addFavorite, listFavorites, removeFavorite } from './favorites/favorites.ts';
import { listEvents } from './events/list.ts';
import { streamEvents } from './events/stream.ts';
import { publishBulk } from './ingest/publish-bulk.ts';
import { ingestRecords } from './ingest/records.ts';
import { getRefreshStats, nextRefreshes, processRefreshes } from './ingest/refresh.ts';
import { reimportRecords } from './ingest/reimport.ts';
import { generateListingDraft, getListingDraft } from './listings/ai-draft.ts';
import { getListingClusters } from './listings/clusters.ts';
import { contactListingOwner } from './listings/contact.ts';
import { createListing } from './listings/create.ts';
import { addListingImages } from './listings/images.ts';
import { deleteListing } from './listings/delete.ts';
import { markListingSold } from './listings/mark-sold.ts';
import { flagListing } from './listings/flag.ts';
import { multiSearchListings } from './listings/multi-search.ts';
import { publishListing } from './listings/publish.ts';
import { getListing, getListingMarkdown } from './listings/read.ts';
import { renewListing } from './listings/renew.ts';
import { searchListings, searchListingsMarkdown } from './listings/search.ts';
import { setListingStatus } from './listings/status.ts';
import { updateListing } from './listings/update.ts';
import { countNewsletterSubscribers } from './newsletter/count.ts';
import { subscribeNewsletter } from './newsletter/subscribe.ts';
import { unsubscribeNewsletter } from './newsletter/unsubscribe.ts';
import { createPremiumCheckout } from './premium/checkout.ts';
import { listMyPayments } from './premium/payments.ts';
import { getCheckoutReturn } from './premium/return.ts';
import { getPaymentStatus, getPremiumStatus } from './premium/status.ts';
import { completeStubCheckout, getStubCheckout } from './premium/stub.ts';
import { receivePaymentEvent } from './premium/webhook.ts';
import { appealListing, appealNotice } from './reports/appeal.ts';
import { createReport } from './reports/create.ts';
import { listMyReports } from './reports/list-mine.ts';
import { listMyNotices } from './reports/notices.ts';
import { createReview } from './reviews/create.ts';
import { getUserRating, listListingReviews, listUserReviews } from './reviews/list.ts';
import { replyToReview } from './reviews/reply.ts';
import { migrateRewrites } from './rewriting/migrate.ts';
import { deleteListingRewrite, editListingRewrite } from './rewriting/texts.ts';
import { cancelBooking, confirmBooking, declineBooking } from './rentals/answer-booking.ts';
import { getRentalAvailability } from './rentals/availability.ts';
import { createBooking, listMyBookings, listRentalBookings } from './rentals/bookings.ts';
import { createRental } from './rentals/create.ts';
import { deleteRental } from './rentals/delete.ts';
import { listMyRentals, listRentals, listRentalsMarkdown } from './rentals/list.ts';
import { getRental, getRentalMarkdown } from './rentals/read.ts';
import { updateRental } from './rentals/update.ts';
import {
  createSavedSearch,
  deleteSavedSearch,
  listSavedSearches,
  updateSavedSearch,
} from './saved-searches/saved-searches.ts';
import { assessPrice } from './pricing/assess.ts';
import { recommendPrice } from './pricing/recommend.ts';
import { suggest } from './search/suggest.ts';
import { trackEvent } from './tracking/track.ts';
import { showUnsubscribe, unsubscribe } from './unsubscribe/unsubscribe.ts';
import { uploadImage } from './uploads/upload.ts';
import { createWebhook } from './webhooks/create.ts';
import { deleteWebhook } from './webhooks/delete.ts';
import { listWebhookDeliveries, retryWebhookDelivery } from './webhooks/deliveries.ts';
import { listWebhooks } from './webhooks/list.ts';
import { getWebhook } from './webhooks/read.ts';
import { rotateWebhookSecret } from './webhooks/rotate-secret.ts';
import { testWebhook } from './webhooks/test.ts';
import { updateWebhook } from './webhooks/update.ts';
import type { OperationId } from './http/contract.ts';
import type { AuthenticatedHandler, Handler } from './handler.ts';

/** Every operation of openapi.yaml and its function: a missing or an extra one does not compile. */
export const handlers: { [Op in OperationId]?: Handler<Op> | AuthenticatedHandler<Op> } = {
  ...adminHandlers,
  addFavorite,
  appealListing,
  appealNotice,
  createReport,
  declareTrader,
  getMyTrader,
  listMyNotices,
  listMyReports,
  withdrawTrader,
  blockUser,
  listBlocks,
  unblockUser,
  addListingImages,
  assessPrice,
  cancelBooking,
  completeStubCheckout,
  confirmBooking,
  confirmPasswordReset,
  contactListingOwner,
  countNewsletterSubscribers,
  createApiKey,
  createBooking,
  createListing,
  createPremiumCheckout,
  createRental,
  createReview,
  createSavedSearch,
  createWebhook,
  declineBooking,
  deleteListing,
  deleteListingRewrite,
  deleteWebhook,
  deleteSavedSearch,
  deleteRental,
  flagListing,
  generateListingDraft,
  getAccountPage,
  editListingRewrite,
  getListingDraft,
  getRefreshStats,
  migrateRewrites,
  nextRefreshes,
  getAssetType,
  getCategory,
  getCheckoutReturn,
  getConversation,
  getDatabaseHealth,
  getDiscovery,
  getDocs,
  getHealth,
  getListing,
  getListingClusters,
  getListingMarkdown,
  getListingSchema,
  getListingSchemaMarkdown,
  getListingsAtom,
  getListingsRss,
  getAgentCard,
  getApiCatalog,
  getLlms,
  getLlmsFull,
  getOpenapiSlice,
  getOperationReference,
  getReference,
  getManifest,
  getProducts,
  getSecurityTxt,
  getSitemap,
  getSitemapPage,
  getMe,
  getMetrics,
  getOpenapiJson,
  getOpenapiYaml,
  getPaymentStatus,
  getPremiumStatus,
  getRental,
  getRentalAvailability,
  getRentalMarkdown,
  getRobots,
  getWebhook,
  getStubCheckout,
  getUser,
  getUserRating,
  ingestRecords,
  listApiKeys,
  listAssetTypes,
  listCategories,
  listCategoriesFlat,
  listEvents,
  streamEvents,
  listConversations,
  listFavorites,
  listListingReviews,
  listMyBookings,
  listMyExpiringListings,
  listMyListings,
  listMyPayments,
  listMyRentals,
  listRentalBookings,
  listRentals,
  listRentalsMarkdown,
  listSavedSearches,
  listSchemas,
  listUserReviews,
  listUserListings,
  listWebhookDeliveries,
  listWebhooks,
  login,
  logoutAll,
  listSessions,
  endSession,
  getTotp,
  startTotp,
  confirmTotp,
  removeTotp,
  listPasskeys,
  createPasskey,
  createPasskeyOptions,
  deletePasskey,
  createPasskeyLoginOptions,
  loginWithPasskey,
  changePassword,
  markConversationRead,
  markListingSold,
  processRefreshes,
  publishBulk,
  multiSearchListings,
  publishListing,
  receivePaymentEvent,
  recommendPrice,
  register,
  reimportRecords,
  removeFavorite,
  renewListing,
  replyToReview,
  requestMagicLink,
  requestPasswordReset,
  resendVerification,
  retryWebhookDelivery,
  revokeApiKey,
  listConnectedApplications,
  disconnectApplication,
  rotateWebhookSecret,
  searchListings,
  searchListingsMarkdown,
  sendMessage,
  setListingStatus,
  showUnsubscribe,
  startConversation,
  unsubscribe,
  updateListing,
  updateMe,
  deleteMe,
  downloadExport,
  getExport,
  requestExport,
  subscribeNewsletter,
  suggest,
  testWebhook,
  trackEvent,
  unsubscribeNewsletter,
  updateRental,
  updateSavedSearch,
  updateWebhook,
  uploadImage,
  verifyEmail,
  verifyMagicLink,
};
