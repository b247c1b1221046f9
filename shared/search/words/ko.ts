import type { LocaleWords } from './locale-words.ts';

/** Korean. A word is found within a longer one already. */
export const ko: LocaleWords = {
  same: [
    ['요트', '세일보트', '범선'],
    ['모터보트', '파워보트'],
    ['고무보트', '콤비보트'],
    ['선외기', '아웃보드'],
    ['구명조끼', '라이프재킷', '라이프자켓'],
    ['제트스키', '수상오토바이'],
    ['텔레비전', '티비', 'tv'],
    ['휴대폰', '핸드폰', '스마트폰'],
    ['오토바이', '모터사이클'],
    ['노트북', '랩톱', '랩탑'],
    ['소파', '쇼파'],
    ['에어컨', '에어콘'],
    ['자동차', '승용차'],
    ['캠핑카', '모터홈'],
  ],
  oneWay: [['모터요트', '모터보트']],
  stop: ['및', '또는', '그리고'],
  prepositions: [],
  purposes: [],
};
