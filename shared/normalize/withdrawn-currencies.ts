/** What a withdrawn unit became, and how many of it made one of that: the fixed rates of the laws that withdrew it. */
const SUCCESSORS =
  'EUR:ATS=13.7603,BEF=40.3399,BGN=1.95583,CYP=0.585274,DEM=1.95583,EEK=15.6466,ESP=166.386,FIM=5.94573,FRF=6.55957,' +
  'GRD=340.75,HRK=7.5345,IEP=0.787564,ITL=1936.27,LTL=3.4528,LUF=40.3399,LVL=0.702804,MTL=0.4293,NLG=2.20371,' +
  'PTE=200.482,SIT=239.64,SKK=30.126 ' +
  // Whoever prints RUR today means the rouble of today; the toman is ten rials.
  'RUB:RUR=1 IRR:IRT=0.1 AFN:AFA=1000 AZN:AZM=5000 BYN:BYR=10000 CUP:CUC=0.041666667 GHS:GHC=10000 MGA:MGF=5 MRU:MRO=10 ' +
  'MZN:MZM=1000 PLN:PLZ=10000 RON:ROL=10000 SDG:SDD=100 SLE:SLL=1000 STN:STD=1000 TMT:TMM=5000 TRY:TRL=1000000 ' +
  'VES:VEF=100000 XCG:ANG=1 ZMW:ZMK=1000 ZWG:ZWL=2498.7242';

const BY_CODE = new Map(
  SUCCESSORS.split(' ').flatMap((entry) => {
    const [successor = '', units = ''] = entry.split(':');
    return units.split(',').map((unit) => {
      const [code = '', rate = ''] = unit.split('=');
      return [code, { successor, rate: Number(rate) }] as const;
    });
  }),
);

/** True for a code that is no longer, or never was, one of ISO 4217 and whose money has a fixed rate to one that is. */
export function isWithdrawn(code: string): boolean {
  return BY_CODE.has(code);
}

/** The same money in a currency in use, to the cent: `100 HRK` -> `13.27 EUR`; any other is given back unchanged. */
export function convertWithdrawn<T extends { amount: number; currency: string }>(money: T): T {
  const found = BY_CODE.get(money.currency);
  if (!found) return money;
  return { ...money, amount: Math.round((money.amount / found.rate) * 100) / 100, currency: found.successor };
}
