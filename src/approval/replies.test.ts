import { describe, expect, test } from "vitest";
import { replyVerdict } from "./read-reply.ts";

interface Replies {
  yes: string[];
  other: string[];
}

/** One reply between bars or on a line of its own. */
function list(text: string): string[] {
  return text
    .split(/\n| \| /)
    .map((reply) => reply.trim())
    .filter((reply) => reply !== "");
}

/** What people write under a plan, by language: go-aheads, and what is none. */
const REPLIES: Record<string, Replies> = {
  English: {
    yes: list(`
      Yes, go for it | yep do it | nothing against it | Please proceed with the plan | ok, sounds great, thanks!
      Approved. Thanks for the detailed plan! | lgtm! | LGTM, please go ahead. | Looks great to me 👍
      Sure, go ahead | That sounds good | Works for me | Let's do this | You can go ahead
      Alright, go ahead and start | Good to go | Yes please, thank you | Please implement this
      I agree with the plan | All good from my side, go ahead | Absolutely, please start | Feel free to start
      Go ahead whenever you are ready | ship it :rocket: | No objections | Thanks, please go ahead
      Hi @relay, please start | The plan looks good, proceed | +1, let's go | Makes sense. Go for it!
      Perfect, that's what I want | I've read the plan. Go ahead. | Reviewed. Go ahead. | We looked through the plan, please start
    `),
    other: list(`
      No | nope, not this | Not now please | yes but smaller | Go ahead if Bob agrees
      I will go ahead and close it | Did you go ahead already | Looks good but rename it | go ahead tomorrow
      Approve? no | I don't agree | The go-ahead is pending | almost there | could be | let's see | I'm not sure
      Yes for item 2 only | we should not go ahead | please hold | hmm, maybe later | what do you mean by go ahead
      LGTM pending CI | thank you | Interesting plan | OK so the bug is in parser.ts | Yes it still happens on 2.1
      I've read the plan. | I have read the plan. OK. | I have not read the plan. Go ahead.
      Go ahead once I have read it | Read the plan again. Go ahead. | ok. one thing: drop the flag | Ship it when ready? idk | Agreed, except step 3 | I'd rather wait
    `),
  },
  Russian: {
    yes: list(`
      Да! | Да, начинай | Ок | Хорошо, делай | Делай | Давай | Поехали! | Согласна | Меня всё устраивает
      Всё отлично, приступай | Можно начинать | Одобряю | Утверждено | Бери в работу, спасибо | Да, бери
      Принято, запускай | План устраивает, начинай | Выглядит нормально, можно делать | Звучит разумно, поехали
      Я за | Без возражений | Даю добро | Пиши спецификацию | Давай, приступай к реализации | Конечно, начинайте
      Спасибо, всё подходит | лгтм | Да, так и делай | Ок, погнали
    `),
    other: list(`
      Нет | Нет, не надо | Пока нет | Да, но позже | Если тесты пройдут, то да | Не уверен | Надо подумать
      Подожди до понедельника | Стоп | А можно иначе? | Да, ошибка повторяется | Давай позже
      Давай сначала обсудим | Спасибо | Понял | Почти | Не начинай без меня | Согласен, кроме пункта 3
      Всё хорошо, только имя поменяй | да нет, наверное | Делай после релиза | может быть | Хорошо, я посмотрю
      Не согласен | Отклоняю | лучше не надо | Начинай, когда тесты позеленеют | Да? Правда? | Сделай иначе
      не нравится
    `),
  },
  German: {
    yes: list(`
      Ja! | Ja, bitte | Ok, leg los | Mach das | klar, mach ma | Mach weiter | Einverstanden, leg los | Passt | Passt, danke!
      Sieht gut aus | Klingt gut, danke | Klingt super, bitte umsetzen | Du kannst anfangen | Du kannst loslegen
      Bitte anfangen | Genehmigt | Freigegeben, danke | Gerne! | Ja, gerne | Ja klar, los geht's | Okay, fang an
      In Ordnung | Geht klar | Stimme zu | Keine Einwände | Grünes Licht | Alles in Ordnung, bitte starten
      Der Plan passt so | Ja, mach das bitte | Nur zu! | Auf geht's
    `),
    other: list(`
      Nein | Nein danke | Noch nicht | Warte bitte | Bitte nicht | Ja, aber erst morgen | Wenn CI grün ist, ja
      Vielleicht später | Weiß nicht | Moment mal | Ich bin dagegen | Passt nicht | Sieht nicht gut aus
      Klingt gut, aber zu groß | Danke | Verstanden | Sollen wir anfangen? | Kannst du das erklären
      Ja, der Fehler ist noch da | Fang nach dem Release an | Mach Schritt 2 zuerst | fast | Ich schaue es mir an
      Nur Punkt 1 | Leg los, sobald Anna zustimmt | Ohne Tests nicht | Stopp | Besser anders
      Mach das lieber nicht | Ablehnen
    `),
  },
  French: {
    yes: list(`
      Oui | Oui, allez-y | Vas-y | D'accord | C'est bon, merci | Ça marche | Ça me va, merci | Très bien, vas-y
      Parfait, allez-y | Approuvé | Validé, merci | Feu vert | Tu peux y aller | Vous pouvez commencer
      C'est parti | Je suis d'accord, vas-y
    `),
    other: list(`
      Non | Pas encore | Pas maintenant | Oui mais plus petit | Attends | Si les tests passent, oui | Peut-être
      Je ne sais pas | On y va ? | Merci | Compris | Vas-y après la release | D'accord sauf le point 3
      Je vais regarder | Oui, le bug est toujours là | Arrêtez
    `),
  },
  Spanish: {
    yes: list(`
      Sí | Sí, por favor | Adelante | Vale, adelante | De acuerdo | Perfecto, gracias | Me parece perfecto | Hazlo
      Puedes empezar | Puedes continuar | Aprobado, gracias | Está bien así | Luz verde | Todo bien, adelante
      Dale, gracias | Estoy de acuerdo
    `),
    other: list(`
      No | Todavía no | Aún no | Sí, pero más pequeño | Espera | Si pasan las pruebas, sí | Tal vez | No sé
      ¿Empezamos? | Gracias | Entendido | Hazlo después | De acuerdo salvo el punto 3 | Lo miro luego
      Sí, sigue fallando el test | Mejor mañana
    `),
  },
  Portuguese: {
    yes: list(`
      Sim | Sim, pode seguir | Pode ir em frente | Pode começar, obrigado | Tudo certo | Aprovado | Concordo
      De acordo, pode fazer | Perfeito, pode seguir | Está bom assim | Beleza | Manda ver | Vamos lá
      Por mim tudo bem | Ok, siga em frente | Sinal verde
    `),
    other: list(`
      Não | Ainda não | Agora não | Sim, mas menor | Espera | Se os testes passarem, sim | Talvez | Não sei
      Podemos começar? | Obrigado | Entendi | Faça depois | Concordo, exceto o item 3 | Vou olhar
      Sim, o erro continua | Melhor amanhã
    `),
  },
  Italian: {
    yes: list(`
      Sì | Sì, procedi | Va bene, grazie | Vai | Vai pure | Procedi pure | D'accordo | Perfetto, vai | Approvato
      Per me va bene | Ok, inizia | Puoi iniziare | Puoi procedere | Sono d'accordo | Via libera
      Tutto ok, procedete
    `),
    other: list(`
      No | Non ancora | Non ora | Sì, ma più piccolo | Aspetta | Se i test passano, sì | Forse | Non so
      Iniziamo? | Grazie | Capito | Fallo dopo | D'accordo tranne il punto 3 | Ci guardo | Sì, il bug c'è ancora
      Meglio domani
    `),
  },
  Chinese: {
    yes: list(`
      是的 | 好的 | 好 | 可以 | 行 | 同意 | 没问题，请继续 | 好的，谢谢 | 开始吧 | 请开始 | 就这样做 | 按计划执行 | 批准 | 看起来不错 | 可以，开始写吧 | 没意见，继续
    `),
    other: list(`
      不 | 不行 | 先等等 | 还没有 | 可以，但是小一点 | 如果测试通过就可以 | 也许 | 不知道 | 可以开始吗 | 谢谢 | 明白了 | 发布后再做 | 同意，除了第三点 | 我看看 | 是的，问题还在
      明天再说
    `),
  },
  Japanese: {
    yes: list(`
      はい | はい、進めてください | お願いします | それでお願いします | 問題ありません | 大丈夫です | 承認します | 賛成です | 良さそうです | いいですね、進めてください | 始めてください
      ok、お願いします | 同意します | はい、それで大丈夫です | この方針で進めてください | よさそうです、お願いします
    `),
    other: list(`
      いいえ | まだです | 今はだめです | はい、でも小さく | 待ってください | テストが通れば進めてください | たぶん | わかりません | 始めますか | ありがとうございます | なるほど
      リリース後に進めてください | 3番以外は賛成です | 見てみます | はい、まだ再現します | 明日にしましょう
    `),
  },
  Korean: {
    yes: list(`
      네 | 네, 좋아요 | 네, 진행하세요 | 진행해 주세요 | 시작해 주세요 | 좋습니다, 진행해 주세요 | 동의합니다 | 승인합니다 | 괜찮습니다 | 문제없습니다 | 그렇게 해 주세요
      부탁드립니다 | 네, 부탁드립니다 | ㅇㅋ | 이대로 진행해 주세요 | 찬성합니다
    `),
    other: list(`
      아니요 | 아직요 | 지금은 안 돼요 | 네, 하지만 더 작게 | 잠깐만요 | 테스트가 통과하면 진행하세요 | 아마도 | 모르겠어요 | 시작할까요 | 감사합니다 | 이해했습니다
      출시 후에 해 주세요 | 3번 빼고 동의합니다 | 확인해 볼게요 | 네, 아직 발생해요 | 내일 합시다
    `),
  },
  Polish: {
    yes: list(`
      Tak | Tak, działaj | Działaj | Jasne | Zgoda | Zgadzam się | W porządku | Wygląda dobrze | Możesz zaczynać
      Zaczynaj, dzięki | Zatwierdzam | Akceptuję | Śmiało | Do dzieła | Pasuje, dzięki | Ok, rób
    `),
    other: list(`
      Nie | Jeszcze nie | Nie teraz | Tak, ale mniejsze | Czekaj | Jeśli testy przejdą, tak | Może | Nie wiem
      Zaczynamy? | Dzięki | Rozumiem | Zrób to później | Zgoda, oprócz punktu 3 | Zobaczę | Tak, błąd nadal jest
      Lepiej jutro
    `),
  },
  Ukrainian: {
    yes: list(`
      Так | Так, починай | Давай | Згоден | Згодна, починайте | Добре, роби | Поїхали | Підтверджую | Схвалюю
      Все добре, починай | Виглядає добре | Можна починати | Бери в роботу | Я за | Без заперечень | Звісно, роби
    `),
    other: list(`
      Ні | Ще ні | Не зараз | Так, але менше | Зачекай | Якщо тести пройдуть, так | Можливо | Не знаю | Починаємо?
      Дякую | Зрозумів | Зроби потім | Згоден, крім пункту 3 | Подивлюся | Так, помилка ще є | Краще завтра
    `),
  },
};

describe.each(Object.entries(REPLIES))("in %s", (_, { yes, other }) => {
  test.each(yes)("a go-ahead is affirmative: %j", (text) => {
    expect(replyVerdict(text)).toMatchObject({ verdict: "affirmative" });
    expect(replyVerdict(` \n${text.toUpperCase()} \n`)).toMatchObject({ verdict: "affirmative" });
  });

  test.each(other)("anything else is not: %j", (text) => {
    expect(replyVerdict(text).verdict).not.toBe("affirmative");
  });

  test("a go-ahead turned into a question or a quote is none", () => {
    for (const text of yes) {
      for (const turned of [`${text}?`, `> ${text}`, `~~${text}~~`, `"${text}"`, `${text} but not yet`]) {
        expect(replyVerdict(turned).verdict).not.toBe("affirmative");
      }
    }
  });
});
