import type { Catalogue } from "../messages.ts";
import type { en } from "./en.ts";

export const pt: Catalogue<typeof en> = {
  paused:
    "Parei: as últimas {{count}} tentativas nesta issue falharam. A falha mais recente foi: {{error}}. Alguém com acesso ao Relay pode ver o registro e me retomar.",
  specWritten: "A especificação está pronta: {{path}}",
  specUpdated: "A especificação foi atualizada: {{path}}",
  draftedWithoutModel: "Redigido sem modelo, por regras.",
};
