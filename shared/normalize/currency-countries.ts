import { isCountry, isCurrency } from '../kit/codes.ts';

/** What is paid with in countries whose own letters do not begin the code of their currency. */
const UNIONS =
  'EUR:AD,AT,AX,BE,BG,BL,CY,DE,EE,ES,FI,FR,GF,GP,GR,HR,IE,IT,LT,LU,LV,MC,ME,MF,MQ,MT,NL,PM,PT,RE,SI,SK,SM,TF,VA,YT ' +
  'USD:AS,BQ,EC,FM,GU,IO,MH,MP,PA,PR,PW,SV,TC,TL,UM,VG,VI AUD:CC,CX,HM,KI,NF,NR,TV NZD:CK,NU,PN,TK GBP:GG,GS,IM,JE ' +
  'XOF:BF,BJ,CI,GW,ML,NE,SN,TG XAF:CF,CG,CM,GA,GQ,TD XCD:AG,AI,DM,GD,KN,LC,MS,VC XPF:NC,PF,WF XCG:CW,SX ' +
  'CHF:LI DKK:FO,GL NOK:BV,SJ MAD:EH ILS:PS';
/** Of several codes that begin with a country's letters, what people pay with. */
const OWN = new Map([
  ['CL', 'CLP'],
  ['VE', 'VES'],
]);

const BY_COUNTRY = new Map(
  UNIONS.split(' ').flatMap((union) => {
    const [code = '', members = ''] = union.split(':');
    return members.split(',').map((country) => [country, code] as const);
  }),
);

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
for (const country of LETTERS.flatMap((first) => LETTERS.map((second) => first + second))) {
  if (!isCountry(country) || BY_COUNTRY.has(country)) continue;
  const code = OWN.get(country) ?? LETTERS.map((last) => country + last).find(isCurrency);
  if (code !== undefined) BY_COUNTRY.set(country, code);
}

/** The currency of a country (two-letter code in any case): ISO 4217 begins a code with the letters of its country. */
export function currencyOfCountry(country: string | undefined): string | undefined {
  return country === undefined ? undefined : BY_COUNTRY.get(country.toUpperCase());
}

/** The countries in which a currency is paid with; for a withdrawn one the country of its first two letters. */
export function countriesOfCurrency(currency: string): string[] {
  const found = [...BY_COUNTRY].filter(([, code]) => code === currency).map(([country]) => country);
  return found.length > 0 ? found : [currency.slice(0, 2)].filter(isCountry);
}
