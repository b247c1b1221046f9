import type { Subscription } from '../../shared/accounts/unsubscribe-token.ts';
import type { Locale } from '../../shared/profiles/profile.ts';

/** What the pages of the links in mails say: what would end, and what has ended. */
type UnsubscribeWords = {
  ask: string;
  button: string;
  done: string;
  ends: Record<Subscription['kind'], string>;
  ended: Record<Subscription['kind'], string>;
};

export const unsubscribeWords: Record<Locale, UnsubscribeWords> = {
  en: {
    ask: 'Stop these mails?',
    button: 'Stop these mails',
    done: 'Done',
    ends: {
      saved_search: 'We will not write to you about this saved search any more. You keep the search itself.',
      newsletter: 'You will not get the newsletter any more.',
      notifications:
        'We will not write to you about your listings, messages and searches any more. Mails about your account itself still come.',
    },
    ended: {
      saved_search: 'We do not write to you about this saved search any more.',
      newsletter: 'You do not get the newsletter any more.',
      notifications: 'We only write to you about your account itself from now on. You can change this in your profile.',
    },
  },
  es: {
    ask: '¿Dejar de recibir estos correos?',
    button: 'Dejar de recibirlos',
    done: 'Hecho',
    ends: {
      saved_search: 'Ya no te escribiremos sobre esta búsqueda guardada. La búsqueda se conserva.',
      newsletter: 'Ya no recibirás el boletín.',
      notifications:
        'Ya no te escribiremos sobre tus anuncios, mensajes y búsquedas. Los correos sobre tu propia cuenta seguirán llegando.',
    },
    ended: {
      saved_search: 'Ya no te escribimos sobre esta búsqueda guardada.',
      newsletter: 'Ya no recibes el boletín.',
      notifications: 'A partir de ahora solo te escribimos sobre tu propia cuenta. Puedes cambiarlo en tu perfil.',
    },
  },
  fr: {
    ask: 'Ne plus recevoir ces e-mails ?',
    button: 'Ne plus les recevoir',
    done: 'C’est fait',
    ends: {
      saved_search: 'Nous ne vous écrirons plus au sujet de cette recherche. La recherche elle-même est conservée.',
      newsletter: 'Vous ne recevrez plus la lettre d’information.',
      notifications:
        'Nous ne vous écrirons plus au sujet de vos annonces, messages et recherches. Les e-mails qui concernent votre compte continueront d’arriver.',
    },
    ended: {
      saved_search: 'Nous ne vous écrivons plus au sujet de cette recherche.',
      newsletter: 'Vous ne recevez plus la lettre d’information.',
      notifications:
        'Désormais, nous ne vous écrivons plus qu’au sujet de votre compte. Vous pouvez changer cela dans votre profil.',
    },
  },
  de: {
    ask: 'Diese Mails abbestellen?',
    button: 'Mails abbestellen',
    done: 'Erledigt',
    ends: {
      saved_search: 'Wir schreiben Ihnen nicht mehr zu dieser gespeicherten Suche. Die Suche selbst bleibt erhalten.',
      newsletter: 'Sie bekommen den Newsletter nicht mehr.',
      notifications:
        'Wir schreiben Ihnen nicht mehr zu Ihren Anzeigen, Nachrichten und Suchen. Mails zu Ihrem Konto selbst kommen weiterhin.',
    },
    ended: {
      saved_search: 'Zu dieser gespeicherten Suche schreiben wir Ihnen nicht mehr.',
      newsletter: 'Sie bekommen den Newsletter nicht mehr.',
      notifications:
        'Ab jetzt schreiben wir Ihnen nur noch zu Ihrem Konto selbst. In Ihrem Profil können Sie das ändern.',
    },
  },
  it: {
    ask: 'Non ricevere più queste e-mail?',
    button: 'Non riceverle più',
    done: 'Fatto',
    ends: {
      saved_search: 'Non ti scriveremo più per questa ricerca salvata. La ricerca resta salvata.',
      newsletter: 'Non riceverai più la newsletter.',
      notifications:
        'Non ti scriveremo più per i tuoi annunci, messaggi e ricerche. Le e-mail sul tuo account continueranno ad arrivare.',
    },
    ended: {
      saved_search: 'Non ti scriviamo più per questa ricerca salvata.',
      newsletter: 'Non ricevi più la newsletter.',
      notifications: 'D’ora in poi ti scriviamo solo per il tuo account. Puoi cambiare questa scelta nel tuo profilo.',
    },
  },
  ko: {
    ask: '이 메일을 그만 받으시겠습니까?',
    button: '메일 그만 받기',
    done: '완료되었습니다',
    ends: {
      saved_search: '이 저장된 검색에 대한 메일을 더 이상 보내지 않습니다. 검색 자체는 그대로 남습니다.',
      newsletter: '뉴스레터를 더 이상 보내지 않습니다.',
      notifications: '매물, 메시지, 검색에 대한 메일을 더 이상 보내지 않습니다. 계정에 대한 메일은 계속 발송됩니다.',
    },
    ended: {
      saved_search: '이 저장된 검색에 대한 메일을 더 이상 보내지 않습니다.',
      newsletter: '뉴스레터를 더 이상 보내지 않습니다.',
      notifications: '이제부터 계정에 대한 메일만 보내 드립니다. 프로필에서 바꾸실 수 있습니다.',
    },
  },
  ja: {
    ask: 'このメールの配信を停止しますか？',
    button: '配信を停止する',
    done: '完了しました',
    ends: {
      saved_search: 'この保存した検索についてのメールをお送りしなくなります。検索条件は残ります。',
      newsletter: 'ニュースレターをお送りしなくなります。',
      notifications:
        '出品、メッセージ、検索についてのメールをお送りしなくなります。アカウントに関するメールは引き続きお送りします。',
    },
    ended: {
      saved_search: 'この保存した検索についてのメールの配信を停止しました。',
      newsletter: 'ニュースレターの配信を停止しました。',
      notifications: '今後はアカウントに関するメールのみお送りします。プロフィールで変更できます。',
    },
  },
};
