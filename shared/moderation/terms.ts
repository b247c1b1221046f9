/** What finding a term means; `fine` marks innocent phrases that contain one. */
export type Term = { code: 'blocked_term' | 'prohibited_goods'; verdict: 'reject' | 'review' } | { verdict: 'fine' };

const list = (text: string): string[] =>
  text
    .split(/[,\n]/)
    .map((phrase) => phrase.trim())
    .filter(Boolean);

// English, Spanish, French, German, Italian, Korean, Japanese. Only phrases that name the forbidden thing itself: single words
// with an everyday meaning in any of these languages are left out or listed as needing a look.
const forbiddenGoods = list(`
  cocaine, crack cocaine, heroin, crystal meth, methamphetamine, amphetamine, mdma, ecstasy pills, lsd blotter, fentanyl, ketamine
  buy weed, weed for sale, marijuana for sale, buy marijuana, cannabis for sale, buy cannabis, hashish, magic mushrooms
  viagra, cialis, xanax, oxycodone, oxycontin, percocet, vicodin, tramadol, adderall, anabolic steroid
  ak 47, ar 15 rifle, glock, kalashnikov, handgun, assault rifle, sniper rifle, hunting rifle, machine gun, submachine gun, hand grenade
  gun for sale, firearm for sale, buy guns, ghost gun, pipe bomb, plastic explosive, live ammunition, rifle and ammunition
  counterfeit money, counterfeit bill, fake money, fake banknote, fake passport, fake id, fake driver license
  fake driving licence, fake document, fake diploma, fake rolex, replica rolex, replica watch, fake designer bag
  stolen goods, stolen credit card, cloned card, cloned credit card, cvv dumps, hacked account, human organ, kidney for sale
  elephant ivory, ivory tusk, elephant tusk, rhino horn, tiger skin, sea turtle shell
  cocaina, heroina pura, metanfetamina, marihuana en venta, vendo marihuana, arma de fuego, armas de fuego, fusil de asalto
  billetes falsos, dinero falso, pasaporte falso, documentos falsos, carnet falso, organos humanos, marfil de elefante
  heroine a vendre, cannabis a vendre, resine de cannabis, arme a feu, armes a feu, fusil d assaut, kalachnikov
  faux billets, faux papiers, faux passeport, faux permis, ivoire d elephant
  kokain, crystal meth kaufen, amphetamin, amphetamine, marihuana kaufen, cannabis kaufen, schusswaffe, schusswaffen, scharfe waffe
  sturmgewehr, maschinengewehr, handgranate, sprengstoff, falschgeld, gefalschter fuhrerschein, gefalschter pass
  gefalschter ausweis, gefalschte dokumente, gefalschte rolex, elfenbein stosszahn
  eroina, metanfetamina, marijuana in vendita, arma da fuoco, armi da fuoco, fucile d assalto
  banconote false, soldi falsi, documenti falsi, passaporto falso, patente falsa, avorio di elefante
  코카인, 헤로인, 필로폰, 대마초, 마약 판매, 마약 팝니다, 총기 판매, 권총, 위조지폐, 위조 여권, 위조여권, 비아그라, 장기매매, 대포통장
  コカイン, ヘロイン, 覚醒剤, 覚せい剤, 大麻, 拳銃, 実弾, 偽札, 偽造パスポート, 偽造免許証, 臓器売買, 違法薬物, バイアグラ, 口座売買`);

const goodsToLookAt = list(`
  firearm, ar 15, pistol, rifle, shotgun, revolver, ammunition, ammo, explosive, stun gun, switchblade, brass knuckles, marijuana, cannabis
  ivory carving, counterfeit, heroine, heroina, fusil, escopeta, municion, pistolet, revolver, munitions, schreckschusspistole, pistole
  gewehr, munition, pistola, fucile, munizioni`);

const blocked = list(`
  child porn, child pornography, porn, pornography, sex cam, sexual service, prostitute, blowjob, erotic massage
  online casino, casino bonus, free spins, make money fast, get rich quick, double your bitcoin, free bitcoin, guaranteed profit
  free money, earn money from home, work from home and earn, click here to claim, claim your prize, you have won, miracle cure
  lose weight fast, no credit check loan, buy followers, buy backlinks, forex signals
  nigger, faggot, heil hitler, white supremacy, gas the jews, fuck, fucking, fucker, motherfucker, cunt
  pornografia, pornografia infantil, servicios sexuales, masaje erotico, hijo de puta, casino en linea, dinero facil, gana dinero rapido
  pornographie, pedopornographie, services sexuels, massage erotique, nique ta mere, fils de pute, enculer, argent facile, casino en ligne
  kinderporno*, kinderpornografie, pornografie, sexdienste, erotische massage, hurensohn, fotze, schnelles geld, online kasino
  sieg heil, pedopornografia, servizi sessuali, massaggio erotico, figlio di puttana, vaffanculo, soldi facili, casino online
  아동포르노, 성매매, 조건만남, 온라인 카지노, 바카라 사이트, 토토사이트, 씨발, 개새끼
  児童ポルノ, 売春, 援助交際, オンラインカジノ, 簡単に稼げる, 殺すぞ`);

const blockedToLookAt = list(`
  shit, bullshit, asshole, bitch, whore, slut, kike, western union, moneygram, gift card payment, wire transfer only, cash app only, escort service
  mierda, gilipollas, merde, putain, connard, salope, scheisse, arschloch, wichser, merda, stronzo, cazzo, puttana`);

const innocent = list(`
  flare pistol, pistol grip, grease pistol, spray pistol, paint pistol, pistol squat, pistola de pintura, pistola de silicona, pistola de agua
  pistola de senales, pistolet a peinture, pistolet a colle, pistola per verniciare, pistola lanciarazzi, pistola de calor
  pistola a spruzzo, pistola termica, pistola lanzabengalas, pistolet de detresse, pistolet lance fusee, pistolet signaleur
  pistolet d arrosage, pistolet graisseur, pistolet pulverisateur, pistolet thermique, heat pistol, fuel pistol, filling pistol
  fusil sous marin, fusil harpon, fusil de chasse sous marine, fusil a harpon, fusil de pesca, fusil submarino, fusil de pesca submarina
  fucile subacqueo, fucile sub, fucile da sub, fucile da pesca, fucile pneumatico, machine gun mount, machine gun turret
  free money back, hassle free money, rifle scope, rifle paper, shotgun house, shotgun apartment, shotgun flat, riding shotgun, shotgun style, shotgun mic, shotgun microphone
  ammo can, ammo box, ammunition box, handgun safe, handgun case, rifle case, rifle rack, marijuana free, water pistol, cap pistol, massage gun, ak 47 shape, revolver magazine, guns n roses`);

/** Every term with what finding it means, in the notation of createPhraseFinder. */
export const terms: readonly (readonly [phrase: string, term: Term])[] = [
  ...forbiddenGoods.map((phrase) => [phrase, { code: 'prohibited_goods', verdict: 'reject' }] as const),
  ...goodsToLookAt.map((phrase) => [phrase, { code: 'prohibited_goods', verdict: 'review' }] as const),
  ...blocked.map((phrase) => [phrase, { code: 'blocked_term', verdict: 'reject' }] as const),
  ...blockedToLookAt.map((phrase) => [phrase, { code: 'blocked_term', verdict: 'review' }] as const),
  ...innocent.map((phrase) => [phrase, { verdict: 'fine' }] as const),
];

/** Words that turn a term around when one of them stands within three words before it ("no Western Union"). */
export const negations: ReadonlySet<string> = new Set(
  `no not never without non beware avoid anti sin nunca pas sans jamais kein keine keinen keiner nicht ohne nie senza mai`.split(
    ' ',
  ),
);
