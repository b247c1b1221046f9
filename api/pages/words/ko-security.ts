import type { SecurityWords } from './types.ts';

/** The texts of devices, two-factor sign-in and passkeys, in Korean. */
export const securityKo: SecurityWords = {
  security: {
    sessions: '기기 및 세션',
    sessionsText: '현재 로그인되어 있는 곳입니다.',
    current: '현재 기기',
    unknownDevice: '알 수 없는 기기',
    lastUsed: '마지막 사용',
    end: '로그아웃',
    twoFactor: '2단계 인증',
    off: '비밀번호와 함께 휴대전화 앱에 표시되는 코드로 계정을 보호하세요.',
    setUp: '앱 설정',
    scan: '인증 앱으로 이 코드를 스캔하거나 키를 직접 입력한 다음, 앱에 표시되는 코드를 입력하세요.',
    qrCode: '인증 앱용 QR 코드',
    key: '키:',
    code: '코드',
    confirm: '켜기',
    on: '{date}부터 사용 중입니다. 남은 복구 코드: {count}개.',
    recovery:
      '휴대전화 없이도 찾을 수 있는 곳에 이 복구 코드를 보관하세요. 각 코드는 한 번만 사용할 수 있으며 지금만 표시됩니다.',
    proof: '비밀번호 또는 코드',
    remove: '끄기',
    passkeys: '패스키',
    passkeysText: '비밀번호 없이 지문, 얼굴 또는 화면 잠금으로 로그인하세요.',
    passkeyName: '패스키 이름',
    addPasskey: '패스키 추가',
    deletePasskey: '삭제',
    byPasskey: '패스키로 로그인',
    passkeyFailed: '작업에 실패했거나 취소되었습니다. 다시 시도해 주세요.',
    needsScript: '패스키를 추가하려면 JavaScript가 필요합니다.',
    codeTitle: '코드 입력',
    codeText: '인증 앱에 표시되는 코드나 복구 코드 중 하나를 입력하세요.',
    enrol:
      '회원님의 역할에는 2단계 인증이 필요합니다. 계속하려면 앱이나 패스키를 설정하세요. 이미 있다면 그것으로 로그인하세요.',
  },
};
