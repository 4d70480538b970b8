import type { Catalogue } from "../messages.ts";
import type { en } from "./en.ts";

export const pt: Catalogue<typeof en> = {
  paused:
    "Parei: as últimas {{count}} tentativas nesta issue falharam. A falha mais recente foi: {{error}}. Alguém com acesso ao Relay pode ver o registro e me retomar.",
  budgetOfIssue: "Parei: o orçamento desta issue se esgotou. Alguém com acesso ao Relay pode me retomar.",
  budgetOfDay:
    "Parei: o orçamento de hoje para este repositório se esgotou. Continuarei por conta própria depois de {{until}}.",
  budgetOfMonth: "Parei: o orçamento deste mês se esgotou. Continuarei por conta própria depois de {{until}}.",
  specWritten: "A especificação está pronta: {{path}}",
  specUpdated: "A especificação foi atualizada: {{path}}",
  draftedWithoutModel: "Redigido sem modelo, por regras.",
};
