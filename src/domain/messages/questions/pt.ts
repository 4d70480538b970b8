import type { Catalogue } from "../messages.ts";
import type { en } from "./en.ts";

export const pt: Catalogue<typeof en> = {
  greeting: "@{{login}}, li a discussão e olhei o código. Antes de escrever uma especificação:",
  closing:
    "Responda por número, com suas palavras. Nada acontece até que você responda, ou até que alguém diga para seguir com as suposições.",
  severity_blocking: "bloqueante",
  severity_high: "importante",
  severity_medium: "útil saber",
  severity_low: "menor",
  why: "Por que importa: {{text}}",
  default: "Se ninguém disser o contrário, vou supor: {{text}}",
  q_reproduction: "Como reproduzir isto? A menor entrada ou os passos que o mostram, e a versão usada.",
  w_reproduction: "o relato não tem passos, entrada nem rastreamento que levem a um lugar do código.",
  d_reproduction: "acontece no caminho que a busca no código indica, com a configuração padrão.",
  q_expected: "O que deveria acontecer em vez disso?",
  w_expected: "o relato diz o que está errado, mas não o que seria certo.",
  d_expected: "a operação termina sem o erro relatado, e todo o resto fica como está.",
  q_actual: "O que acontece exatamente agora: a saída errada ou a mensagem de erro completa?",
  w_actual: "o relato não cita nenhuma saída nem erro que se possa procurar.",
  d_actual: "o sintoma é exatamente o que diz o título.",
  q_acceptance: "Como você saberá que está pronto? Uma ou duas verificações que devem passar.",
  w_acceptance: "sem isso há várias formas de entender e concluir o pedido.",
  d_acceptance: "está pronto quando o caso do título funciona e os testes existentes continuam passando.",
  q_scope: "O que faz parte do escopo e o que deve ficar intocado?",
  w_scope: "o pedido toca vários lugares: {{text}}.",
  d_scope: "só o que o título pede; todo o resto fica como está.",
  d_scope_here: "só {{text}} muda; todo o resto fica como está.",
  q_compatibility: "Os usos, dados ou configurações existentes precisam continuar funcionando sem mudança?",
  w_compatibility: "{{text}} é usado por outros arquivos.",
  d_compatibility: "sim: o comportamento existente continua compatível.",
  gate: "Está resolvido tudo o que podia mudar o resultado. Escrevo a especificação? Responda “pode seguir” e eu escrevo; até lá, espero.",
  gate_found:
    "Está resolvido tudo o que podia mudar o resultado; o lugar no código é {{text}}. Escrevo a especificação? Responda “pode seguir” e eu escrevo; até lá, espero.",
  gate_revision:
    "Li seu comentário. Reviso a especificação de acordo? Responda “pode seguir” e eu reviso; até lá ela fica como está.",
  assumptions: "Seguindo. Estas perguntas ficaram abertas, então suponho:",
  assumption: "pergunta {{number}}: {{question}} Suponho: {{text}}",
  foundAt: "Citado no relato: {{text}}.",
  foundDefinition: "{{symbol}} é definido aqui, em {{path}}.",
};
