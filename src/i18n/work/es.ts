import type { Catalogue } from "../messages.ts";
import type { en } from "./en.ts";

export const es: Catalogue<typeof en> = {
  question: "Para seguir necesito saber:",
  answer: "Con una respuesta aquí el trabajo sigue donde se detuvo.",
  opened: "El cambio está en {{request}}.",
  no_progress: "No he terminado esto: dos intentos seguidos no avanzaron.",
  limit_iterations: "No he terminado esto en el número de intentos permitido para una tarea.",
  limit_minutes: "No he terminado esto en el tiempo permitido para una tarea.",
  limit_money: "No he terminado esto con el dinero permitido para una tarea.",
  failing: "Lo que sigue fallando:",
  nothing_opened: "No se abrió ningún pull request. Con una pista aquí lo intento otra vez.",
  unusable:
    "El agente no puede trabajar por ahora, así que no se cambió nada. Quien opera Relay tiene que mirarlo; después se puede volver a intentar.",
  failed:
    "El trabajo en esta tarea se interrumpió y no se abrió nada. Quien opera Relay tiene que mirarlo; después se puede volver a intentar.",
  setup: "No se pudo preparar el repositorio para el trabajo:",
  network:
    "Hacía falta llegar a {{hosts}}, lo que aquí no está permitido. Quien administra Relay puede permitirlo en `work.network`.",
  request_closed:
    "{{request}} se cerró sin integrarse, así que para mí esto ha terminado. Asígnenme de nuevo para volver a empezar.",
  still_red:
    "Las comprobaciones de {{request}} siguen en rojo y ya lo intenté dos veces. Tiene que mirarlo una persona.",
  said_elsewhere: "El cambio está en revisión; digan allí, por favor, qué debería ser distinto: {{request}}.",
  conflict: "{{request}} está en conflicto con {{base}} y no he podido combinarlos. Archivos cambiados en ambos lados:",
  conflict_left:
    "No se ha subido nada. Por favor, fusionad {{base}} en {{branch}} y subid la rama; seguiré desde ahí. Mientras estos archivos sigan así, no volveré a intentarlo.",
};
