import type { ConnectWords } from './types.ts';

/** The texts of connecting applications to an account, in Korean. */
export const connectKo: ConnectWords = {
  connect: {
    title: '{app}을(를) 연결할까요?',
    text: '{app}이(가) {brand}에서 회원님을 대신해 작업하려고 합니다. {email}(으)로 로그인되어 있습니다.',
    leads: {
      host: '응답은 {host}(으)로 전송됩니다.',
      loopback: '응답은 이 컴퓨터의 프로그램({host})으로 전송됩니다.',
      app: '응답은 {host}: 주소를 통해 이 기기의 앱으로 전송됩니다.',
    },
    unverified: '앱 이름은 앱이 직접 정한 것입니다. 방금 직접 연결을 요청한 경우에만 허용하세요.',
    may: '허용할 작업',
    scopes: {
      read: '계정 보기: 매물, 메시지, 즐겨찾기, 예약 (항상)',
      'listings:write': '초안, 매물, 사진, 즐겨찾기, 저장한 검색 변경',
      messages: '회원님의 이름으로 메시지, 예약, 후기 작성 및 웹훅 설정',
      publish: '매물 게시, 대여 등록, 유료 홍보 주문',
      admin: '위의 모든 작업을 포함한 전체 마켓 관리',
    },
    moderate: '위의 모든 작업을 포함한 매물·신고·중복 심사',
    allow: '허용',
    deny: '허용 안 함',
    end: '계정에서 언제든지 연결을 해제할 수 있습니다.',
    refused: '이 앱을 연결할 수 없습니다',
    unknownText:
      '앱이 등록되어 있지 않거나 등록이 만료되었거나, 자신의 것이 아닌 주소를 지정했습니다. 앱에서 연결을 삭제한 후 다시 추가해 주세요.',
    invalidText: '앱이 이 사이트에서 지원하지 않는 방식으로 요청했습니다. 아무것도 허용되지 않았습니다.',
    back: '앱으로 돌아가기',
    applications: '연결된 앱',
    applicationsText: '회원님을 대신해 작업하도록 허용한 에이전트와 프로그램입니다.',
    used: '마지막 사용: {date}',
    disconnect: '연결 해제',
  },
};
