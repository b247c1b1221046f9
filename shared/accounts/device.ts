import Bowser from 'bowser';

const MAX_USER_AGENT = 400;
const MAX_DEVICE = 100;

/** A user agent as people know it: "Firefox, macOS"; of a program its name and version, and of one that tells nothing ''. */
export function describeDevice(userAgent: string): string {
  const text = userAgent.slice(0, MAX_USER_AGENT).trim();
  if (text === '') return '';
  const { browser, os } = Bowser.parse(text);
  const known = [browser.name, os.name].filter(Boolean).join(', ');
  const [program = ''] = text.replaceAll(/[^\x20-\x7e]/g, '').split(' ', 1);
  return (known || program.replace('/', ' ')).slice(0, MAX_DEVICE);
}
