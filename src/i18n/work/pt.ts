import type { Catalogue } from "../messages.ts";
import type { en } from "./en.ts";

export const pt: Catalogue<typeof en> = {
  question: "Para continuar, preciso saber:",
  answer: "Com uma resposta aqui, o trabalho continua de onde parou.",
  opened: "A mudança está em {{request}}.",
  no_progress: "Não terminei isto: duas tentativas seguidas não avançaram.",
  limit_iterations: "Não terminei isto no número de tentativas permitido para uma tarefa.",
  limit_minutes: "Não terminei isto no tempo permitido para uma tarefa.",
  limit_money: "Não terminei isto com o dinheiro permitido para uma tarefa.",
  failing: "O que ainda falha:",
  nothing_opened: "Nenhum pull request foi aberto. Com uma dica aqui, tento de novo.",
  unusable:
    "O agente não pode trabalhar no momento, então nada foi mudado. Quem opera o Relay precisa olhar; depois a tarefa pode ser tentada de novo.",
  failed:
    "O trabalho nesta tarefa foi interrompido e nada foi aberto. Quem opera o Relay precisa olhar; depois a tarefa pode ser tentada de novo.",
  setup: "Não foi possível preparar o repositório para o trabalho:",
  network:
    "Era preciso alcançar {{hosts}}, o que aqui não é permitido. Quem opera o Relay pode permitir isso em `work.network`.",
  request_closed:
    "{{request}} foi fechado sem ser integrado, então para mim isto acabou. Atribuam a tarefa a mim de novo para recomeçar.",
  still_red: "As verificações de {{request}} continuam vermelhas, e já tentei duas vezes. Uma pessoa precisa olhar.",
  said_elsewhere: "A mudança está em revisão; por favor digam lá o que deveria ser diferente: {{request}}.",
  conflict:
    "{{request}} está em conflito com {{base}}, e não consegui juntar os dois. Arquivos alterados dos dois lados:",
  conflict_left:
    "Nada foi enviado. Por favor, faça o merge de {{base}} em {{branch}} e envie o branch; continuo a partir daí. Enquanto esses arquivos ficarem assim, não tento de novo.",
};
