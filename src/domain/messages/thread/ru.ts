import type { Catalogue } from "../messages.ts";
import type { en } from "./en.ts";

export const ru: Catalogue<typeof en> = {
  paused:
    "Я остановился: последние попытки ({{count}}) по этой задаче не удались. Последняя ошибка: {{error}}. Тот, у кого есть доступ к Relay, может посмотреть журнал и продолжить работу.",
  specWritten: "Спецификация готова: {{path}}",
  specUpdated: "Спецификация обновлена: {{path}}",
  draftedWithoutModel: "Составлено без модели, по правилам.",
};
