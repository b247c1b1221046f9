/**
 * Preloaded into a process under test (`--import`): measures the longest turn of its event loop as processor time of the main
 * thread, which a busy machine does not change, and tells and forgets it whenever it is asked over IPC.
 */
const TICK_MS = 2;
let before = process.threadCpuUsage();
let longestMs = 0;

setInterval(() => {
  const { user, system } = process.threadCpuUsage(before);
  longestMs = Math.max(longestMs, (user + system) / 1_000);
  before = process.threadCpuUsage();
}, TICK_MS).unref();

process.on('message', (message) => {
  if (message !== 'longest turn') return;
  // In the next turn: the one that took the message in may follow the one that is asked for.
  setTimeout(() => {
    process.send?.({ longestMs });
    longestMs = 0;
  }, 2 * TICK_MS);
});
process.channel?.unref();
