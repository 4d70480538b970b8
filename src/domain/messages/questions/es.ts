import type { Catalogue } from "../messages.ts";
import type { en } from "./en.ts";

export const es: Catalogue<typeof en> = {
  greeting: "@{{login}}, he leído la conversación y mirado el código. Antes de escribir una especificación:",
  closing:
    "Responde por número, con tus palabras. No pasa nada hasta que lo hagas, o hasta que alguien diga que siga con las suposiciones.",
  severity_blocking: "bloqueante",
  severity_high: "importante",
  severity_medium: "útil",
  severity_low: "menor",
  why: "Por qué importa: {{text}}",
  default: "Si nadie dice lo contrario, supondré: {{text}}",
  q_reproduction: "¿Cómo se reproduce? La entrada o los pasos mínimos que lo muestran, y la versión usada.",
  w_reproduction: "el informe no tiene pasos, entrada ni traza que lleven a un lugar del código.",
  d_reproduction: "ocurre en la ruta que señala la búsqueda en el código, con la configuración por defecto.",
  q_expected: "¿Qué debería ocurrir en su lugar?",
  w_expected: "el informe dice qué falla, pero no qué sería correcto.",
  d_expected: "la operación termina sin el error descrito y todo lo demás queda igual.",
  q_actual: "¿Qué ocurre exactamente ahora: la salida incorrecta o el mensaje de error completo?",
  w_actual: "el informe no nombra ninguna salida ni error que buscar.",
  d_actual: "el síntoma es justo lo que dice el título.",
  q_acceptance: "¿Cómo sabrás que está hecho? Una o dos comprobaciones que deben pasar.",
  w_acceptance: "sin ellas hay varias formas de entender y dar por terminada la petición.",
  d_acceptance: "está hecho cuando el caso del título funciona y las pruebas existentes siguen pasando.",
  q_scope: "¿Qué entra en el alcance y qué no debe tocarse?",
  w_scope: "la petición toca varios lugares: {{text}}.",
  d_scope: "solo lo que pide el título; todo lo demás queda igual.",
  d_scope_here: "solo se cambia {{text}}; todo lo demás queda igual.",
  q_compatibility: "¿Deben seguir funcionando sin cambios los usos, datos o configuración existentes?",
  w_compatibility: "{{text}} se usa desde otros archivos.",
  d_compatibility: "sí: el comportamiento existente sigue siendo compatible.",
  gate: "Está resuelto todo lo que podía cambiar el resultado. ¿Escribo la especificación? Responde «adelante» y lo haré; hasta entonces espero.",
  gate_found:
    "Está resuelto todo lo que podía cambiar el resultado; el lugar en el código es {{text}}. ¿Escribo la especificación? Responde «adelante» y lo haré; hasta entonces espero.",
  gate_revision:
    "He leído tu comentario. ¿Reviso la especificación en consecuencia? Responde «adelante» y lo haré; hasta entonces queda como está.",
  assumptions: "Sigo adelante. Estas preguntas quedaron abiertas, así que supongo:",
  assumption: "pregunta {{number}}: {{question}} Supongo: {{text}}",
  foundAt: "Mencionado en el informe: {{text}}.",
  foundDefinition: "{{symbol}} se define aquí, en {{path}}.",
};
