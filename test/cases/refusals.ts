/** What people write while a plan waits or work runs, by language: refusals, and what is none. */
export const REFUSALS: Readonly<Record<string, { refused: readonly string[]; harmless: readonly string[] }>> = {
  en: {
    refused: [
      "Stop! This deletes customer data.",
      "do not continue",
      "Thanks, but no.",
      "This has to wait for the audit",
      "we would rather do it by hand",
      "I was wrong to say yes, take it back",
      "plan looks nothing like what I asked for, drop it",
    ],
    harmless: [
      "Don't forget the tests",
      "no need to hurry",
      "can't wait!",
      "nothing stops you",
      "Not bad!",
      "when will it be ready?",
      "I never saw such a clear plan",
    ],
  },
  de: {
    refused: ["Bitte nicht weitermachen", "Wir machen das doch lieber selbst", "Der Ansatz ist falsch", "lass es"],
    harmless: ["Keine Eile", "Nicht schlecht!", "Vergiss die Tests nicht", "Wann ist es fertig?"],
  },
  fr: {
    refused: ["Ne touche à rien", "On laisse tomber", "Je retire mon accord", "arretez tout"],
    harmless: ["Pas de souci", "N'oublie pas les tests", "Pas mal du tout !"],
  },
  es: {
    refused: ["No sigas con esto", "Mejor lo dejamos", "El plan está mal", "cancelalo"],
    harmless: ["No hay prisa", "No te olvides de los tests", "Nada mal"],
  },
  pt: {
    refused: ["Não mexe nisso", "Mudei de ideia", "Deixa pra lá"],
    harmless: ["Sem pressa", "Não esqueça os testes"],
  },
  it: {
    refused: ["Non andare avanti", "Lascia perdere", "Ho cambiato idea"],
    harmless: ["Nessun problema", "Non dimenticare i test"],
  },
  nl: {
    refused: ["Niet doorgaan alsjeblieft", "Laat maar zitten", "Het plan klopt niet"],
    harmless: ["Geen haast", "Vergeet de tests niet", "Ga je gang"],
  },
  sv: {
    refused: ["Gör inte det här", "Vi avvaktar, avbryt", "Planen är fel"],
    harmless: ["Ingen brådska", "Glöm inte testerna"],
  },
  no: { refused: ["Ikke fortsett", "Avbryt dette", "Glem det"], harmless: ["Det haster ikke", "Ikke glem testene"] },
  fi: { refused: ["Älä jatka", "Peru tämä", "Ei vielä"], harmless: ["Ei kiirettä", "Älä unohda testejä"] },
  pl: {
    refused: ["Nie rób tego", "Zmieniłem zdanie", "Wstrzymaj to"],
    harmless: ["Nie ma pośpiechu", "Nie zapomnij o testach"],
  },
  cs: { refused: ["Nedělej to", "Zruš to", "Rozmysleli jsme si to"], harmless: ["Nespěchej", "Nezapomeň na testy"] },
  ro: { refused: ["Nu continua", "Las-o baltă", "Planul e greșit"], harmless: ["Nicio grabă", "Nu uita de teste"] },
  hu: { refused: ["Ne folytasd", "Mégse", "Állj le"], harmless: ["Nem sürgős", "Ne felejtsd el a teszteket"] },
  el: {
    refused: ["Σταμάτα", "Μην προχωρήσεις", "Το σχέδιο είναι λάθος"],
    harmless: ["Κανένα πρόβλημα", "Μην ξεχάσεις τα τεστ"],
  },
  tr: {
    refused: ["Devam etme", "Vazgeçtik", "Plan yanlış"],
    harmless: ["Acele etme", "Testleri unutma", "Ne zaman hazır olur?"],
  },
  ru: {
    refused: ["Не трогай миграции", "Мы передумали", "Сделаем сами", "Откати"],
    harmless: ["Не торопись", "Не забудь про тесты", "Неплохо!"],
  },
  uk: { refused: ["Не роби цього", "Я передумав", "Скасуй"], harmless: ["Не поспішай", "Не забудь про тести"] },
  ar: { refused: ["لا تتابع", "أوقف العمل", "غيرت رأيي"], harmless: ["لا داعي للعجلة", "لا تنس الاختبارات"] },
  fa: { refused: ["ادامه نده", "متوقف کن", "لغو کنید"], harmless: ["عجله نکن", "مشکلی نیست"] },
  he: { refused: ["אל תמשיך", "תעצור", "שיניתי את דעתי"], harmless: ["אין לחץ", "אל תשכח את הבדיקות"] },
  hi: { refused: ["मत करो", "रुकिए", "योजना गलत है"], harmless: ["कोई जल्दी नहीं", "टेस्ट मत भूलना"] },
  vi: { refused: ["Đừng làm", "Dừng lại", "Kế hoạch này sai rồi"], harmless: ["Không sao", "Đừng quên kiểm thử"] },
  id: {
    refused: ["Jangan lanjutkan", "Batalkan saja", "Rencananya salah"],
    harmless: ["Tidak masalah", "Jangan lupa tesnya"],
  },
  zh: { refused: ["不要合并", "先停一下", "方案有误", "还是算了"], harmless: ["不着急", "别忘了测试", "没问题"] },
  ja: {
    refused: ["進めないでください", "やっぱりやめます", "計画が間違っています"],
    harmless: ["急がなくて大丈夫です", "テストを忘れないでください"],
  },
  ko: {
    refused: ["진행하지 마세요", "취소해 주세요", "계획이 틀렸어요"],
    harmless: ["서두르지 않아도 돼요", "테스트 잊지 마세요"],
  },
};
