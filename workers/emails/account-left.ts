import type { Locale } from '../../shared/profiles/profile.ts';
import type { Message, Wording } from './layout.ts';

const wording: Wording<object> = {
  en: () => ({
    subject: 'Goodbye',
    parts: [
      { paragraph: 'Your account is closed, and your data are erased. Thank you for having been here.' },
      {
        paragraph:
          'What you wrote to others stays with them, without your name. We have forgotten your address with this mail; you can register with it again at any time.',
      },
    ],
  }),
  es: () => ({
    subject: 'Hasta siempre',
    parts: [
      { paragraph: 'Tu cuenta está cerrada y tus datos se han borrado. Gracias por haber estado aquí.' },
      {
        paragraph:
          'Lo que escribiste a otras personas se queda con ellas, sin tu nombre. Con este correo hemos olvidado tu dirección; puedes volver a registrarte con ella cuando quieras.',
      },
    ],
  }),
  fr: () => ({
    subject: 'Au revoir',
    parts: [
      { paragraph: 'Votre compte est fermé et vos données sont effacées. Merci de votre confiance.' },
      {
        paragraph:
          "Ce que vous avez écrit à d'autres personnes leur reste, sans votre nom. Avec ce message, nous avons oublié votre adresse ; vous pouvez vous réinscrire avec elle à tout moment.",
      },
    ],
  }),
  de: () => ({
    subject: 'Auf Wiedersehen',
    parts: [
      { paragraph: 'Ihr Konto ist geschlossen, Ihre Daten sind gelöscht. Danke, dass Sie hier waren.' },
      {
        paragraph:
          'Was Sie anderen geschrieben haben, bleibt bei ihnen, ohne Ihren Namen. Mit dieser Mail haben wir Ihre Adresse vergessen; Sie können sich jederzeit wieder mit ihr anmelden.',
      },
    ],
  }),
  it: () => ({
    subject: 'Arrivederci',
    parts: [
      { paragraph: 'Il tuo account è chiuso e i tuoi dati sono stati cancellati. Grazie di essere stato con noi.' },
      {
        paragraph:
          'Quello che hai scritto ad altri resta a loro, senza il tuo nome. Con questo messaggio abbiamo dimenticato il tuo indirizzo; puoi registrarti di nuovo quando vuoi.',
      },
    ],
  }),
  ko: () => ({
    subject: '안녕히 가세요',
    parts: [
      { paragraph: '계정이 닫히고 데이터가 삭제되었습니다. 그동안 이용해 주셔서 감사합니다.' },
      {
        paragraph:
          '다른 분들에게 쓰신 글은 이름 없이 그분들에게 남습니다. 이 메일을 끝으로 회원님의 주소도 지웠으며, 언제든지 같은 주소로 다시 가입하실 수 있습니다.',
      },
    ],
  }),
  ja: () => ({
    subject: 'ご利用ありがとうございました',
    parts: [
      { paragraph: 'アカウントを閉鎖し、データを消去しました。これまでのご利用に感謝いたします。' },
      {
        paragraph:
          '他の方に送られた文章は、お名前なしで相手の方に残ります。このメールをもってお客様のメールアドレスも消去しました。同じアドレスでいつでも再登録いただけます。',
      },
    ],
  }),
};

/** The last mail to somebody who has left: it tells that it is done, and holds no data of them. */
export function renderAccountLeft(_data: Record<string, unknown>, locale: Locale): Message {
  return wording[locale]({});
}
