/** A state or province of North America: the country it is in and its full name. */
export type State = { country: 'US' | 'CA'; name: string };

const UNITED_STATES =
  'AL:Alabama AK:Alaska AZ:Arizona AR:Arkansas CA:California CO:Colorado CT:Connecticut ' +
  'DE:Delaware DC:District_of_Columbia FL:Florida GA:Georgia HI:Hawaii ID:Idaho IL:Illinois ' +
  'IN:Indiana IA:Iowa KS:Kansas KY:Kentucky LA:Louisiana ME:Maine MD:Maryland MA:Massachusetts ' +
  'MI:Michigan MN:Minnesota MS:Mississippi MO:Missouri MT:Montana NE:Nebraska NV:Nevada ' +
  'NH:New_Hampshire NJ:New_Jersey NM:New_Mexico NY:New_York NC:North_Carolina ND:North_Dakota ' +
  'OH:Ohio OK:Oklahoma OR:Oregon PA:Pennsylvania RI:Rhode_Island SC:South_Carolina SD:South_Dakota ' +
  'TN:Tennessee TX:Texas UT:Utah VT:Vermont VA:Virginia WA:Washington WV:West_Virginia ' +
  'WI:Wisconsin WY:Wyoming PR:Puerto_Rico ';

const CANADA =
  'AB:Alberta BC:British_Columbia MB:Manitoba NB:New_Brunswick NL:Newfoundland_and_Labrador ' +
  'NS:Nova_Scotia NT:Northwest_Territories NU:Nunavut ON:Ontario PE:Prince_Edward_Island QC:Quebec ' +
  'SK:Saskatchewan YT:Yukon ';

const byCode = new Map<string, State>([...read(UNITED_STATES, 'US'), ...read(CANADA, 'CA')]);
const byName = new Map([...byCode.values()].map((state) => [state.name.toLowerCase(), state]));

/** The state or province of a two-letter code in capitals (`FL`, `QC`) or a full English name in any letter case. */
export function stateOf(text: string): State | undefined {
  return byCode.get(text) ?? byName.get(text.toLowerCase());
}

function read(list: string, country: State['country']): [string, State][] {
  return list
    .trim()
    .split(' ')
    .map((pair) => {
      const [code = '', name = ''] = pair.split(':');
      return [code, { country, name: name.replaceAll('_', ' ') }];
    });
}
