# One message a line, grouped by page and component. Sentences as a person would say them.

language-name = Español
language-direction = ltr
# How the server separates digits; browsers know it.
number-group = .
number-decimal = ,

## Words of several places

brand = gemtab
reload = Recargar
new-build = Hay una nueva versión de gemtab.

## The document, before the page lives

shell-description = Chatea con Gemma 4 en una pestaña del navegador, con tu propia tarjeta gráfica.
boot-slow = Aún se está cargando. Ya puedes escribir.
boot-failed = La página no pudo iniciarse. Comprueba tu conexión y recarga.
boot-no-script = gemtab necesita JavaScript. Actívalo y recarga.
later-loading = Cargando…
later-missing = No se pudo cargar esta parte de la página. Comprueba tu conexión y vuelve a intentarlo. No se ha perdido nada.

## Units and amounts

unit-b = { $number } B
unit-kb = { $number } kB
unit-mb = { $number } MB
unit-gb = { $number } GB
unit-tb = { $number } TB
unit-s = { $number } s
unit-min = { $number } min
unit-percent = { $number } %
unit-rate = { $number } tok/s
time-min-s = { $minutes } min { $seconds } s
time-h-min = { $hours } h { $minutes } min
amount-of = { $part } de { $whole }
two-sentences = { $first } { $second }
two-items = { $first }, { $second }

## Settings

settings-title = Ajustes
settings-licenses = Licencias de terceros
settings-appearance = Apariencia y teclado
settings-theme = Tema
settings-theme-system = Según el sistema
settings-theme-light = Claro
settings-theme-dark = Oscuro
settings-language = Idioma
settings-language-browser = Según el navegador
settings-sending = Enviar con
settings-send-enter = Enter (Mayús+Enter para una línea nueva)
settings-send-modified = Ctrl+Enter o ⌘ Enter (Enter para una línea nueva)
settings-single-keys = Atajos de una sola tecla
settings-single-keys-hint = Pulsa / para ir al campo de mensaje y ? para ver todos los atajos. Desactívalo si usas entrada de voz.
settings-show-steps = Mostrar pasos de difusión
settings-show-steps-hint = Mira cómo toma forma el texto cuando responde un modelo de difusión. Desactívalo para ver solo el texto terminado.
settings-drafts = Decodificación especulativa
settings-drafts-hint = Acelera la mayoría de las respuestas. El motor anticipa varios tokens, con el modelo borrador o a partir de texto que se repite, y los comprueba en una sola pasada. Deja de hacerlo cuando no resulta más rápido.
settings-drafts-automatic = Si hay un modelo borrador
settings-drafts-always = Siempre
settings-drafts-never = Nunca
settings-memory = Memoria gráfica
settings-memory-hint = Se aplica la próxima vez que se cargue un modelo.
settings-memory-amount = Memoria que pueden usar los modelos
settings-memory-amount-hint = Los navegadores no dicen cuánta hay. Si un modelo necesita más, gemtab activa por su cuenta las opciones de abajo.
settings-memory-automatic = Automático
settings-memory-automatic-of = Automático ({ $size })
settings-memory-loaded = { $model } sigue cargado con los ajustes anteriores.
settings-cache-in-eight-bits = Caché KV de 8 bits
settings-cache-in-eight-bits-hint = Las conversaciones ocupan cerca de la mitad de memoria. Las respuestas pueden variar un poco.
settings-table-in-eight-bits = Embeddings por capa de 8 bits
settings-table-in-eight-bits-hint = Para archivos de E2B y E4B con embeddings de 16 bits. Reduce a la mitad la memoria que ocupan; las respuestas apenas cambian.
settings-new = Conversaciones nuevas
settings-new-hint = Puedes cambiar estos ajustes en cada conversación.
settings-instructions = Instrucciones personalizadas
settings-none = Ninguna
settings-think = Razonar antes de responder
settings-context = Longitud de contexto
settings-context-hint = En tokens. Un contexto más largo necesita más memoria gráfica.
settings-context-default = Por defecto
settings-sampling-model = El muestreo usa los valores predeterminados de cada modelo.
settings-sampling-set = Personalizar para todos los modelos
settings-sampling = Muestreo para todos los modelos
settings-sampling-reset = Restablecer los valores de cada modelo
settings-voice = Voz
settings-read-aloud = Leer respuestas en voz alta
settings-read-aloud-hint = Cada frase en cuanto está escrita. Se omiten el razonamiento, el código, las tablas y las fórmulas.
settings-voice-choice = Voz
settings-voice-automatic = Predeterminada para el idioma del texto
settings-voice-remote = { $count ->
    [one] Se omite 1 voz que envía el texto fuera de este dispositivo.
    *[other] Se omiten { $count } voces que envían el texto fuera de este dispositivo.
    }
settings-voice-none = Este dispositivo no tiene voces locales.
settings-rate = Velocidad
settings-storage = Guardado en este navegador
settings-keep = Guardar modelos
settings-keep-hint = Conserva una copia de cada modelo en este navegador para no tener que volver a descargarlo del servidor.
settings-caches = Guardar lo que los modelos han leído
settings-caches-hint = Conserva en este navegador la caché KV de las últimas cuatro conversaciones. Así, los modelos no tienen que volver a leer una conversación cuando la abres de nuevo. Las conversaciones temporales nunca se guardan.
settings-caches-kept = { $count ->
    [one] Caché KV de 1 conversación: { $size }
    *[other] Cachés KV de { $count } conversaciones: { $size }
    }
settings-caches-none = Aún no hay ninguna caché KV guardada.
settings-caches-delete = Eliminar cachés KV
settings-conversations = { $count ->
    [one] 1 conversación
    *[other] { $count } conversaciones
    } en este navegador.

## Words of several places, continued

close = Cerrar
save = Guardar
cancel = Cancelar
delete = Eliminar
undo = Deshacer
not-now = Ahora no
try-again = Reintentar
untitled = Sin título
choose-model = Elegir un modelo
other-model = Elegir otro modelo
use-memory = Usar { $size } de memoria del sistema
media-gone = ya no está en este navegador
save-raw = Guardar datos brutos
export-file = gemtab-conversations.json

## Places

place-new = Nueva conversación
place-conversation = Conversación
place-models = Modelos
place-tune = Fine-tuning
place-settings = Ajustes
place-diagnostics = Diagnóstico
place-unknown = Página no encontrada
age-today = Hoy
age-yesterday = Ayer
age-week = Últimos 7 días
age-earlier = Anteriores
not-found = No hay nada en esta dirección.
page-title = { $page } · gemtab

## The frame around every page

frame-drop-examples = Suelta aquí los ejemplos, junto con sus imágenes y audios
frame-drop = Suelta aquí archivos o un modelo
frame-skip = Ir al contenido principal
frame-test-mode = Modo de prueba
frame-simulated = Motor simulado
frame-drop-elsewhere = Los archivos solo se pueden adjuntar a una conversación. Abre una y suéltalos allí.
model-replaced = Otra pestaña cargó { $name }.
model-ready = { $name } está listo.
model-not-loaded = No se pudo cargar { $name }. { $reason }
search-found = { $count ->
    [0] No se encontraron conversaciones.
    [one] Se encontró 1 conversación.
    *[other] Se encontraron { $count } conversaciones.
    }

## The graphics device, and how to get it

advice-origin = Los navegadores solo permiten WebGPU en direcciones seguras. { $origin } no lo es.
advice-local = En el equipo donde se ejecuta el servidor, abre `{ $address }`.
advice-https = Para usar otro equipo, sirve la página por HTTPS o redirige el puerto con SSH.
advice-in = En { $browser }:
advice-title = Activar la aceleración gráfica
device-none = Sin tarjeta gráfica
device-no-webgpu = WebGPU no está disponible, así que aquí no se pueden ejecutar modelos.
device-nothing-lost = Puedes seguir leyendo tus conversaciones.
device-slow = No se usa la tarjeta gráfica
device-software = No se usa ninguna tarjeta gráfica.
device-software-named = No se usa ninguna tarjeta gráfica ({ $name }).
device-software-hint = La demo va despacio. Los modelos más grandes son demasiado lentos.
device-how = Cómo usar la tarjeta gráfica
too-slow = { $name } ocupa { $size }. Sin tarjeta gráfica, cada palabra de una respuesta puede tardar minutos.
too-slow-title = No se usa la tarjeta gráfica
unlikely-title = Es probable que este modelo no quepa
unlikely = { $name } necesita alrededor de { $missing } más de memoria gráfica de la que parece tener esta tarjeta. Es posible que no se pueda cargar.
too-slow-load = Cargar igualmente
failure-title = Algo salió mal
use-context = Usar un contexto de { NUMBER($tokens) } tokens
reload-page = Recargar la página
webgpu-how = Cómo activarlo
see-saved = Ver modelos guardados
field-range = Debe estar entre { $min } y { $max }.
sampling-temperature = Temperatura
sampling-temperature-hint = Con 0 se elige siempre el token más probable.
sampling-top-k = Top-k
sampling-top-k-hint = Cuántos de los tokens más probables se consideran; 0 para todos.
sampling-top-p = Top-p
sampling-min-p = Min-p
sampling-repeat = Penalización por repetición
sampling-repeat-hint = Con 1 se desactiva.
sampling-presence = Penalización por presencia
sampling-frequency = Penalización por frecuencia
sampling-seed = Semilla
sampling-seed-hint = Misma semilla, misma respuesta.
sampling-seed-random = Aleatoria
load-starting = Iniciando
load-engine = Iniciando el motor…
load-title = Cargando un modelo
load-of = Cargando { $name }
memory-words = { $name } no cabe en la memoria gráfica. Necesita además { $size } de memoria del sistema, hasta que cierres la pestaña o cargues otro modelo. Las respuestas serán más lentas.
memory-title = Este modelo necesita más memoria
model-needs-webgpu = Requiere WebGPU
model-out-of-reach = No guardado en este navegador
model-demo = Demo
model-file = Archivo
model-diffusion = Difusión
model-diffusion-about = Escribe un bloque entero de texto a la vez y lo refina paso a paso.
model-continues = Continúa texto
model-continues-about = No se entrenó con chats: continúa el texto que escribes.
model-demo-about = Demo integrada: un modelo diminuto para probar la página con sumas, listas y datos sencillos.
model-loaded = Cargado
model-load = Cargar
model-recommended = Recomendado
models-looking = Buscando modelos…
models-offline = No se puede acceder al servidor. Los modelos guardados en este navegador siguen funcionando.
models-none = El servidor no encontró modelos. Buscó en:
models-pull = Descarga uno con { $command } o abre un archivo .gguf propio.
models-get = Descarga uno en “Descargar un modelo”, en la página Modelos, o abre un archivo .gguf propio.
palette-title = Búsqueda y comandos
palette-placeholder = Busca conversaciones, modelos, páginas y comandos…
palette-results = Resultados
palette-none = Sin resultados
palette-action = Comando
palette-drawer = Ajustes de la conversación
drawer-changed = Ajustes de la conversación (modificados)
palette-stop = Detener la respuesta
palette-think = Razonar antes de responder
palette-think-off = Responder sin razonar
palette-export-json = Exportar esta conversación como JSON
palette-export-markdown = Exportar esta conversación como Markdown
palette-export-html = Exportar esta conversación como HTML
palette-print = Imprimir esta conversación o guardarla como PDF
palette-duplicate = Duplicar esta conversación
shortcuts-title = Atajos de teclado
palette-import = Importar conversaciones
palette-light = Usar tema claro
palette-dark = Usar tema oscuro
palette-system = Usar el tema del sistema
palette-place = Página
palette-model = Modelo
open-file = Abrir un archivo…
model-files = Archivos de modelo
picked-title = Abiertos recientemente
picked-files = { $count ->
    [one] 1 archivo
    *[other] { $count } archivos
    } · { $size }
picked-open = Abrir
picked-open-of = Abrir { $name }
picked-open-anyway = Abrir igualmente
picked-open-anyway-of = Abrir igualmente: { $name }
picked-forget = Quitar de esta lista
picked-forget-of = Quitar de esta lista: { $name }
picked-forgotten = { $name } ya no está en la lista. El archivo sigue donde estaba.
picked-not-allowed = El navegador necesita tu permiso para leer { $name }. Vuelve a abrirlo y concédelo cuando te lo pida.
picked-gone = No se encuentra { $name }. Se movió, se renombró o se eliminó. Elígelo con “Abrir un archivo…”.
picked-changed = { $name } ha cambiado desde la última vez que lo abriste.
picked-unreadable = El navegador no puede leer { $name }. Elígelo con “Abrir un archivo…”.
picture-show = Mostrar { $name }

## The rail of conversations

rail-title = Conversaciones y páginas
rail-new = Nueva
rail-fold = Ocultar barra lateral
rail-width = Ancho de la barra lateral
rail-steps = { NUMBER($step) }/{ NUMBER($steps) }
rail-conversations = Conversaciones
rail-places = Páginas
rail-private = Nada de lo que escribes sale de este navegador.
rail-private-but-tools = Lo que escribes se queda en este navegador, salvo lo que permites enviar a las herramientas.
rail-search = Buscar
rail-search-label = Buscar conversaciones
rail-all = Organizar conversaciones
rail-export-all = Exportar todo
rail-import = Importar…
import-too-large = Este archivo ocupa { $size }, pero solo se pueden importar archivos de hasta { $most }.
import-failed = No se importó nada. { $reason }
import-empty = El archivo no contiene conversaciones.
import-known = { $count ->
    [one] Esta conversación ya está aquí.
    *[other] Las { $count } conversaciones ya están aquí.
    } No se importó nada.
import-added = { $count ->
    [one] Se importó 1 conversación.
    *[other] Se importaron { $count } conversaciones.
    }
import-merged = { $count ->
    [one] Se actualizó 1 conversación.
    *[other] Se actualizaron { $count } conversaciones.
    }
import-already = { $count ->
    [one] 1 ya estaba aquí.
    *[other] { NUMBER($count) } ya estaban aquí.
    }
rail-nothing-found = Sin resultados
rail-empty = Tus conversaciones aparecerán aquí. No salen de este navegador.
rail-unreadable = No se puede leer
rail-actions = Acciones de { $title }
rail-answering = respondiendo
rail-rename = Renombrar
rail-duplicate = Duplicar
rail-export-json = Exportar como JSON
rail-export-markdown = Exportar como Markdown
rail-export-html = Exportar como HTML
rail-print = Imprimir o guardar como PDF
rail-new-title = Título nuevo
export-unreadable = { $count ->
    [one] 1 conversación no se puede leer y no está en el archivo.
    *[other] { $count } conversaciones no se pueden leer y no están en el archivo.
    }
export-failed = No se pudo exportar. { $reason }

## Order: folders, pins, archive, selecting several

rail-pinned = Fijadas
rail-archived = Archivadas
rail-count = { NUMBER($count) }
rail-more = Mostrar más
rail-pin = Fijar
rail-unpin = Desfijar
rail-archive = Archivar
rail-unarchive = Desarchivar
rail-move = Mover a una carpeta…
rail-select = Seleccionar
rail-select-several = Seleccionar varias
rail-new-folder = Nueva carpeta…
rail-new-temporary = Nueva conversación temporal
archived = { $count ->
    [one] Conversación archivada.
    *[other] { $count } conversaciones archivadas.
    }
select-title = Conversaciones seleccionadas
select-one = Seleccionar { $title }
selected = { $count ->
    [one] 1 seleccionada
    *[other] { $count } seleccionadas
    }
select-all = Seleccionar todo
select-end = Terminar selección
select-export-file = gemtab-selection.json
folder-title = Carpeta
folder-new = Nueva carpeta
folder-name = Nombre
folder-instructions = Instrucciones de esta carpeta
folder-instructions-hint = Se envían al modelo con cada mensaje de cada conversación de esta carpeta, antes de las instrucciones de la propia conversación.
folder-create = Crear
folder-actions = Acciones de la carpeta { $name }
folder-begin = Nueva conversación aquí
folder-edit = Nombre e instrucciones
folder-delete = Eliminar carpeta
folder-deleted = Carpeta eliminada. Sus conversaciones siguen aquí.
folder-empty = Arrastra conversaciones aquí o usa “Mover a una carpeta” en sus menús.
folder-here = En la carpeta { $name }
folder-instructs = La carpeta { $name } agrega instrucciones
folder-adds = La carpeta “{ $name }” agrega estas instrucciones:
move-title = Mover a una carpeta
move-none = Sin carpeta
move-new = Nueva carpeta
move-create = Crear y mover
moved = { $count ->
    [one] Conversación movida a { $name }.
    *[other] { $count } conversaciones movidas a { $name }.
    }
moved-out = { $count ->
    [one] La conversación ya no está en ninguna carpeta.
    *[other] { $count } conversaciones ya no están en ninguna carpeta.
    }
delete-all = Eliminar todo…
delete-all-title = ¿Eliminar todas las conversaciones?
delete-all-words = { $count ->
    [one] Tu única conversación se eliminará de este navegador, con sus adjuntos y borradores y con todas las carpetas, los preajustes y los prompts.
    *[other] Las { $count } conversaciones se eliminarán de este navegador, también las archivadas, con sus adjuntos y borradores y con todas las carpetas, los preajustes y los prompts.
    } Los modelos, los adaptadores y los ajustes se conservan. Esta acción no se puede deshacer.
delete-all-confirm = Eliminar todo
everything-deleted = Se eliminaron todas las conversaciones.
temporary-title = Conversación temporal
temporary-words = No se guarda nada de ella y las demás pestañas no la ven. Desaparece cuando empiezas otra o cuando cierras o recargas esta pestaña.
temporary-short = Temporal: no se guarda
settings-titles = Títulos automáticos
settings-titles-hint = Cuando termina una respuesta y el modelo está libre, escribe un título breve para la conversación nueva. Nunca reemplaza un título tuyo.
title-prompt = Escribe un título de seis palabras como máximo para esta conversación, en su mismo idioma. Responde solo con el título, sin comillas.

## What an import left out

skipped-attachment = { $count ->
    [one] Se omitió 1 adjunto: el archivo solo lo menciona.
    *[other] Se omitieron { $count } adjuntos: el archivo solo los menciona.
    }
skipped-tool = { $count ->
    [one] Se omitió 1 mensaje de herramienta.
    *[other] Se omitieron { $count } mensajes de herramientas.
    }
skipped-hidden = { $count ->
    [one] Se omitió 1 instrucción oculta.
    *[other] Se omitieron { $count } instrucciones ocultas.
    }
skipped-empty = { $count ->
    [one] Se omitió 1 mensaje vacío.
    *[other] Se omitieron { $count } mensajes vacíos.
    }
skipped-broken = { $count ->
    [one] Se omitió 1 mensaje ilegible.
    *[other] Se omitieron { $count } mensajes ilegibles.
    }
skipped-empty-conversation = { $count ->
    [one] Se omitió 1 conversación sin mensajes.
    *[other] Se omitieron { $count } conversaciones sin mensajes.
    }
skipped-unknown = { $count ->
    [one] Se omitió 1 elemento de tipo desconocido.
    *[other] Se omitieron { $count } elementos de tipo desconocido.
    }

## Search within a conversation

find-title = Buscar en esta conversación
find-place = { NUMBER($at) } de { NUMBER($count) }
find-previous = Resultado anterior
find-next = Resultado siguiente
find-close = Cerrar la búsqueda

count-thousand = { $number } mil
count-million = { $number } M
count-billion = { $number } mil M

## What is said at the edge of the page

notices = Notificaciones

## Keyboard shortcuts

shortcuts-palette = Búsqueda y comandos
shortcuts-rail = Mostrar u ocultar la barra lateral
shortcuts-send = Enviar mensaje
shortcuts-line = Línea nueva
shortcuts-edit = Editar tu último mensaje (con el campo vacío)
shortcuts-stop = Detener la respuesta o cerrar lo que esté abierto
shortcuts-tab = Control siguiente
shortcuts-field = Ir al campo de mensaje
shortcuts-list = Mostrar esta lista
shortcuts-hint = En Mac, usa ⌘ en lugar de Ctrl. Los atajos de una sola tecla se pueden desactivar en Ajustes.
key-enter = Enter
key-shift = Mayús
key-ctrl = Ctrl
key-esc = Esc
key-tab = Tab

## Sound

sound-pause = Pausar { $name }
sound-play = Reproducir { $name }
sound-position = Posición en { $name }

## The conversation

absent-title = Esta conversación no está en este navegador
absent-words = Las conversaciones se quedan en el navegador en el que empezaron. Es posible que esta se haya eliminado o que empezara en otro navegador.
unreadable-title = Esta conversación no se puede leer
unreadable-words = Sus datos siguen en este navegador. Puedes guardarlos en un archivo antes de eliminarla.
unloaded-title = No se pudo cargar esta conversación
adapters-several = { NUMBER($count) } adaptadores
adapter = Adaptador
adapter-opening = Abriendo adaptador…
adapter-none = Sin adaptador
adapter-files = Archivos de adaptador
adapters = Adaptadores
adapters-hint = Los adaptadores (LoRA) modifican la forma en que responde el modelo. No salen de este dispositivo y se aplican a partir de la siguiente respuesta.
adapter-reading = Leyendo…
adapter-open = Abrir un adaptador…
adapter-compare = Comparar con y sin adaptador
adapter-load-first = Carga primero un modelo. Un adaptador solo funciona con el modelo para el que se hizo.
adapter-facts = rango { NUMBER($rank) } · { $layers ->
    [one] 1 capa
    *[other] { $layers } capas
    } · { NUMBER($parameters) } parámetros
adapter-scale = Intensidad de { $name }
remove = Quitar { $name }
adapter-on = Activo
attach = Adjuntar archivos
attach-files = Archivos
camera = Tomar una foto
record = Grabar audio
record-allow = Permite el uso del micrófono cuando lo pida el navegador.
record-paused = En pausa
recording = Grabando
record-level = Nivel de entrada
record-resume = Reanudar grabación
record-pause = Pausar grabación
record-discard = Descartar grabación
record-done = Listo
record-stop = Detener grabación
dictate = Dictar
dictate-stop = Detener dictado
dictating = Escuchando…
dictate-writing = Escribiendo…
talk = Conversación por voz
talk-listening = Escuchando. Habla cuando quieras.
talk-hearing = Te escucho…
talk-thinking = Razonando…
talk-interrupt = Interrumpir
talk-end = Terminar
talk-hint = Lo que dices se envía cuando haces una pausa. Para interrumpir una respuesta, habla mientras se lee.
read-aloud = Leer en voz alta
read-stop = Detener lectura
read-pause = Pausar lectura
read-resume = Reanudar lectura
reading-aloud = Leyendo en voz alta
spoken-table = Tabla.
spoken-formula = fórmula
voice-none = Este dispositivo no tiene una voz para el idioma de este texto. Agrega una en los ajustes del sistema.
voice-failed = La lectura se detuvo porque falló la voz.
transcribe-prompt = Escribe palabra por palabra lo que se dice en esta grabación, en el idioma en que se habla. No escribas nada más.
write-down = Transcribir { $name }
transcript-title = Transcripción
transcript-progress = { $done } de { $length }
transcript-none = No se detectó ninguna voz.
transcript-done = La transcripción está completa.
transcript-download = Descargar como { $format }
camera-file = Cámara.png
camera-nothing = Aún no hay imagen de la cámara. Cierra esta ventana y vuelve a intentarlo.
camera-view = Vista de la cámara
camera-take = Tomar foto
attachments = Adjuntos
frames-of = Fotogramas de { $name }
not-attached = Sin adjuntar
attached-here = Adjuntos de tu mensaje
attached-over = Demasiado largo: { $tokens ->
    [one] 1 token
    *[other] { $tokens } tokens
    }; el límite es { NUMBER($context) }. Quita algunos adjuntos o carga el modelo con un contexto más largo.
attached-tokens = { $tokens ->
    [one] 1 token
    *[other] { $tokens } tokens
    } en total.
tokens = { $count ->
    [one] 1 token
    *[other] { $count } tokens
    }
frames-and-sound = { $count ->
    [one] 1 fotograma
    *[other] { $count } fotogramas
    }, con sonido
frames-no-sound = { $count ->
    [one] 1 fotograma
    *[other] { $count } fotogramas
    }, sin sonido
attachment-stopped = El motor se detuvo al leerlo, así que no se volvió a intentar.
attachment-again = Reintentar
notice-first-frame = Imagen animada: solo se usa el primer fotograma.
notice-clips = Dura más de 30 s: se dividió en { NUMBER($clips) } fragmentos.
notice-silent = No se detectó sonido.
notice-budget = Esta tarjeta gráfica admite como máximo { NUMBER($tokens) } tokens por imagen, así que se usa menos detalle.
detail-auto = Auto
detail-up-to = hasta { NUMBER($tokens) }
detail = Detalle
detail-of = Detalle de { $name }, en tokens
detail-hint = Con más tokens se captan detalles más finos, como la letra pequeña, pero se tarda más.
compare-title = Con y sin el adaptador
compare-waiting = En espera…
compare-with = Con
compare-without = Sin
compare-hint = Ambas respuestas usan la misma semilla. No se agrega nada a la conversación.
compare-needs-question = Envía primero un mensaje y compara después las respuestas.
message-to = Mensaje a { $name }
message = Mensaje
composer-recording = Termina la grabación para enviar.
composer-dictating = Detén el dictado para enviar.
composer-queued = Ya hay un mensaje en espera.
composer-no-model = Elige un modelo antes de enviar.
composer-enter = Enter para enviar · Mayús+Enter para una línea nueva
composer-modified = Ctrl+Enter o ⌘ Enter para enviar
composer-title = Escribe un mensaje
composer-instructions = Instrucciones
think-hint = Permite que el modelo razone antes de responder
think = Razonar
composer-file = Tu mensaje se enviará cuando el archivo esté listo.
composer-answering = Tu mensaje se enviará después de esta respuesta.
composer-training = El fine-tuning va por el paso { NUMBER($step) } de { NUMBER($steps) }. Si envías un mensaje, se pausa hasta que termine la respuesta.
composer-tokens = { NUMBER($tokens) } de { NUMBER($context) } tokens
composer-too-long = Demasiado largo: { NUMBER($tokens) } tokens; el límite es { NUMBER($context) }. Acórtalo o carga el modelo con un contexto más largo.
room-question = La conversación se ha vuelto demasiado larga. ¿Qué hacer con los mensajes más antiguos?
room-leave-out = Omitir
room-summarize = Resumir
room-will-leave-out = Se omitirán los mensajes más antiguos.
room-will-summarize = Se resumirán los mensajes más antiguos.
room-summarizing = Resumiendo los mensajes más antiguos
room-left-out = Se omitieron los mensajes más antiguos.
room-summarized = Se resumieron los mensajes más antiguos.
room-failed = No se pudo hacer el resumen, así que se omitieron los mensajes más antiguos.
room-prompt = Escribe un resumen de esta conversación en su mismo idioma, con { NUMBER($words) } palabras como máximo: hechos, nombres, cifras, decisiones, preguntas abiertas. Responde solo con el resumen.
reading-start = El modelo ya no ve los mensajes anteriores.
reading-summary = Resumen de los mensajes anteriores
reading-whole = Incluir todos los mensajes
reading-whole-again = Se vuelven a incluir todos los mensajes.
send = Enviar
stop = Detener
stop-esc = Detener (Esc)
drawer-title = Esta conversación
drawer-instructions-hint = Se envían al modelo con cada mensaje de esta conversación.
drawer-loaded = El modelo está cargado con un contexto de { NUMBER($tokens) } tokens.
drawer-reload = Recargar con { NUMBER($tokens) } tokens
drawer-answers = Respuestas
drawer-think-hint = Más lento, pero mejor con las preguntas difíciles. El razonamiento aparece contraído.
drawer-longest = Longitud máxima de respuesta
drawer-longest-hint = En tokens, incluido el razonamiento.
drawer-thought = Longitud máxima de razonamiento
drawer-thought-hint = Después empieza la respuesta.
thought-short = Corta ({ NUMBER($tokens) } tokens)
thought-medium = Media ({ NUMBER($tokens) } tokens)
thought-long = Larga ({ NUMBER($tokens) } tokens)
thought-other = Otra…
thought-tokens = Longitud del razonamiento en tokens
drawer-no-limit = Sin límite
drawer-stop = Secuencias de parada
drawer-stop-none = Ninguna
drawer-stop-hint = Una por línea.
drawer-sampling = Muestreo
tools-title = Herramientas
tool-calculator = Calculadora
tool-calculator-hint = Hace cálculos exactos, también con decimales.
tool-clock = Fecha y hora
tool-clock-hint = Permite que el modelo consulte el reloj de tu dispositivo.
tool-search = Buscar conversaciones
tool-search-hint = Permite que el modelo encuentre fragmentos de tus otras conversaciones.
tool-javascript = JavaScript
tool-javascript-hint = Permite que el modelo calcule y dibuje gráficos con código que él mismo escribe. El código no tiene acceso a tus datos ni a internet, y termina a los 10 segundos.
format-title = Formato de respuesta
format-text = Texto
format-json = JSON
format-schema = Esquema JSON
schema-fine = Las respuestas se ajustarán a este esquema.
calls-title = Herramientas usadas
call-waits = Sin ejecutar
call-runs = En ejecución
call-done = Hecho
call-failed = Falló
call-result = Resultado
call-run = Ejecutar y continuar
tool-error-unknown-tool = El modelo usó una herramienta que no está activada.
tool-error-syntax = Esta expresión no es válida.
tool-error-division-by-zero = No se puede dividir entre cero.
tool-error-too-large = La expresión o uno de sus números es demasiado largo.
tool-error-undefined = El resultado no está definido.
tool-error-units = Estas unidades no son compatibles.
tool-error-no-words = No hay palabras que buscar.
tool-error-no-sandbox = No se pudo ejecutar el código. Comprueba tu conexión y vuelve a intentarlo.
tool-error-time-limit = El código tardó más de 10 segundos y se detuvo.
tool-error-output-limit = El código produjo demasiada salida y se detuvo.
tool-error-thrown = El código falló: “{ $message }”.
tool-error-chart = Los datos del gráfico no son válidos.
mcp-title = Servidores MCP
mcp-hint = Añade servidores cuyas herramientas pueda usar el modelo. Antes de cada llamada ves qué se envía y decides. Solo eso sale de este dispositivo.
mcp-add = Añadir servidor
mcp-address = Dirección
mcp-name = Nombre (opcional)
mcp-token = Token de acceso (opcional)
mcp-token-hint = Se guarda sin cifrar en este navegador y solo se envía a este servidor.
mcp-twice = Este servidor ya está añadido.
mcp-asking = Conectando…
mcp-connected = Conectado.
mcp-refresh = Actualizar
mcp-refresh-of = Actualizar { $name }
mcp-remove = Quitar
mcp-remove-of = Quitar { $name }
mcp-tools = { $count ->
    [one] 1 herramienta
    *[other] { $count } herramientas
    }
mcp-tools-hint = Las descripciones son del servidor. Las herramientas que añada más tarde estarán desactivadas al principio.
mcp-refused-keyword = “{ $tool }” no se puede usar: sus parámetros piden algo que no se puede garantizar, “{ $keyword }”.
mcp-refused-schema = “{ $tool }” no se puede usar: sus parámetros no son válidos o son demasiado largos.
mcp-allowed = Todas las llamadas están permitidas.
mcp-ask-again = Volver a preguntar
mcp-ask-again-of = Volver a preguntar antes de llamar a { $tool }
mcp-offered = { $count ->
    [one] 1 herramienta
    *[other] { $count } herramientas
    } de { $host }
mcp-tool-of = { $tool } ({ $server })
call-asks = Te espera
consent-title = ¿Permitir esta llamada?
consent-who = La herramienta “{ $tool }” de { $server } ({ $host }) recibiría los valores de arriba y nada más.
consent-changed = Su descripción ha cambiado desde que la permitiste.
consent-description = Lo que dice el servidor de esta herramienta
consent-once = Permitir una vez
consent-conversation = Permitir en esta conversación
consent-always = Permitir siempre
consent-nothing = No permitir
result-untrusted = { $server } ha devuelto lo siguiente. Puede ser incorrecto o engañoso.
tool-error-mcp-offline = No se puede acceder al servidor de gemtab. Comprueba tu conexión y vuelve a intentarlo.
tool-error-mcp-address = Esta dirección no se puede usar. Debe empezar por https://.
tool-error-mcp-plain-http = { $host } solo se puede usar por https://.
tool-error-mcp-not-relayed = El servidor de gemtab no pasa solicitudes a { $host }. Para permitirlo, inícialo con “--allow-mcp { $host }”.
tool-error-mcp-private = { $host } está en una red privada. Para permitirlo, inicia el servidor de gemtab con “--allow-mcp private:{ $host }”.
tool-error-mcp-unreachable = No se puede acceder a { $host }, o se cortó la conexión. Vuelve a intentarlo.
tool-error-mcp-late = { $host } tardó demasiado en responder. Vuelve a intentarlo.
tool-error-mcp-busy = Hay demasiadas solicitudes en curso. Vuelve a intentarlo.
tool-error-mcp-too-long = Los valores son demasiado largos para enviarlos.
tool-error-mcp-too-much = La respuesta del servidor es demasiado larga.
tool-error-mcp-redirected = El servidor redirige a otra dirección. Añade esa en su lugar.
tool-error-mcp-unauthorized = El servidor pide un token de acceso o no acepta este.
tool-error-mcp-status = El servidor respondió con el estado { $status }.
tool-error-mcp-not-protocol = Lo que responde en esta dirección no es un servidor MCP.
tool-error-mcp-no-version = El servidor usa una versión de MCP que no se admite.
tool-error-mcp-needs-input = La herramienta pide más datos, lo que no se admite.
tool-error-mcp-refused = El servidor se negó: “{ $message }”.
tool-error-mcp-not-allowed = No permitiste esta llamada.
chart-shown-bar = Gráfico de barras: { $title }
chart-shown-line = Gráfico de líneas: { $title }
chart-shown-pie = Gráfico circular: { $title }
chart-shown-scatter = Gráfico de dispersión: { $title }
chart-untitled = Sin título
chart-part = { $name }: { $amount } ({ $percent })
chart-data = Mostrar datos
drawer-sampling-model = Usa los valores predeterminados del modelo.
drawer-sampling-diffusion = Este es un modelo de difusión con su propio método de muestreo. Solo influye la semilla.
drawer-sampling-reset = Restablecer los valores del modelo
figure-first = Tiempo hasta el primer token
figure-writing = Velocidad de generación
figure-drafts = Tokens anticipados aceptados
figure-experts = Expertos ya en memoria gráfica
figure-expert-bytes = Expertos leídos por token
figure-expert-bytes-step = Expertos leídos por paso
figure-steps = Eliminación de ruido
figure-steps-of = { $blocks ->
    [one] { $steps } pasos, 1 bloque
    *[other] { $steps } pasos por bloque, { $blocks } bloques
}
figure-answer = Respuesta
figure-prompt = Prompt
figure-cached = De la caché
figure-reading = Velocidad de lectura
figure-context = Contexto usado
figures-title = Última respuesta
figures-none = Las estadísticas aparecen tras la primera respuesta.
log-messages = Mensajes
log-latest = Ir a lo más reciente
answer-of = Respuesta de { $name }
you = Tú
message-actions = Acciones del mensaje
show-more = Mostrar más
show-less = Mostrar menos
show-all = Mostrar todo
edit-resend = Editar y reenviar
delete-after = Eliminar desde aquí
edit-label = Editar mensaje
edit-hint = El original se conserva. Usa ‹ › para volver a él.
edit-discarded = Edición descartada.
reading-tokens = Leyendo { NUMBER($read) } de { NUMBER($total) } tokens
reading = Leyendo
edited = editado
regenerate = Regenerar
continue-answer = Continuar
edit-answer = Editar respuesta
pin-message = Mantener en el contexto
branch-off = Ramificar en otra conversación
conversation-copied = Ahora estás en la copia. El original no ha cambiado.
cut-off = Esta respuesta quedó cortada.
finish-stopped = Detenida.
finish-limit = Se detuvo al llegar a la longitud máxima de respuesta.
finish-full = Se detuvo porque el contexto está lleno. Empieza una nueva conversación o elige un contexto más largo.
elsewhere = Se está escribiendo en otra pestaña…
closed-early = Se interrumpió al cerrarse la página.
copy-refused = El navegador no permitió copiar. Selecciona el texto y cópialo manualmente.
copied = Copiado.
copy = Copiar
version-previous = Versión anterior
version-next = Versión siguiente
figures = { NUMBER($tokens) } tokens, el primero tras { $first }; prompt de { NUMBER($prompt) } tokens, { NUMBER($cached) } de la caché
figures-steps = { $steps ->
    [one] 1 paso
    *[other] { $steps } pasos
}
figures-diffusion = { NUMBER($tokens) } tokens en { $blocks ->
    [one] 1 bloque
    *[other] { NUMBER($blocks) } bloques
} y { $steps ->
    [one] 1 paso
    *[other] { NUMBER($steps) } pasos
}, el primer bloque tras { $first }; prompt de { NUMBER($prompt) } tokens
canvas-step = Bloque { NUMBER($block) }, paso { NUMBER($step) } de { NUMBER($steps) } como máximo, entropía { $entropy }
device-reset = La tarjeta gráfica se reinició. Restaurando…
unsaved-untitled = una conversación
quoted = “{ $text }”
named = { $name }: { $text }
with-amount = { $text }, { $amount }
conversations = { $count ->
    [one] 1 conversación
    *[other] { $count } conversaciones
    }
unsaved = { $why } No se pudo guardar: { $what }. Deja abierta esta pestaña; gemtab lo sigue intentando.
export = Exportar
restart = Reiniciar
crash-safe = Tu conversación y lo que escribiste están a salvo.
waiting-load = Tu mensaje se enviará cuando { $name } esté listo.
waiting-answer = Tu mensaje se enviará después de la respuesta actual.
waiting-model = Tu mensaje está esperando un modelo.
waiting-cancel = No enviar
thinking = Razonando…
thought-for = Razonó durante { $time }
thought = Razonamiento
answer-now = Responder ahora
model-loading = Cargando
model-unloaded = No cargado
elsewhere-loading = Cargando en otra pestaña
elsewhere-unloading = Liberando memoria en otra pestaña
elsewhere-answering = Respondiendo en otra pestaña
elsewhere-training = Entrenando en otra pestaña
elsewhere-measuring = Midiendo velocidad en otra pestaña
context-used = { NUMBER($used) } de { NUMBER($size) } tokens de contexto usados
context-short = { NUMBER($used) } de { NUMBER($size) } tokens
model-button = Modelo: { $name } ({ $state }). Elegir otro.
unanswered = Aún sin respuesta.
welcome-title = Chatea con Gemma 4 en esta pestaña
welcome-words = El modelo se ejecuta en tu propia tarjeta gráfica. Lo que escribes no sale de este navegador.
welcome-drop = o suelta un archivo .gguf en cualquier parte de esta página.
welcome-only-demo = Solo está instalado un modelo diminuto de demostración.
welcome-ready = { $name } está listo: { $memory } de memoria gráfica, { NUMBER($tokens) } tokens de contexto.
welcome-loading = { $name } se está cargando. Ya puedes escribir; tu mensaje se enviará en cuanto esté listo.
welcome-demo = Este es un modelo de demostración diminuto. Prueba algo de esto:
welcome-picture = Describir una imagen
welcome-picture-prompt = ¿Qué hay en esta imagen?
welcome-voice = Preguntar por voz
welcome-code = Escribir código
welcome-code-prompt = Escribe una función de Python que compruebe si una palabra es un palíndromo.
welcome-think = Resolver un acertijo
welcome-think-prompt = Un bate y una pelota cuestan 1,10 dólares en total. El bate cuesta 1 dólar más que la pelota. ¿Cuánto cuesta la pelota?
welcome-explain = Explicar algo
welcome-explain-prompt = Explícale a un niño de diez años cómo se forma un arcoíris.

## What the stores say

media-unreadable = No se pudo leer el archivo. Vuelve a elegirlo.
media-no-room = No hay memoria suficiente en este navegador. Cierra otras pestañas y vuelve a adjuntarlo.
media-not-attached = No se pudo adjuntar: { $reason }
fits = Cabe
fits-outside = Lento: { $size } no caben en la memoria gráfica
fits-context = Cabe con { NUMBER($tokens) } tokens de contexto
fits-experts = Cabe con { $size } de memoria gráfica para expertos
experts-fast = respuestas algo más lentas
experts-rate = { $tokens ->
    [one] al menos cerca de un token por segundo
    *[other] al menos unos { NUMBER($tokens) } tokens por segundo
}
experts-pace = { $seconds ->
    [one] al menos un token por segundo
    *[other] al menos un token cada { NUMBER($seconds) } segundos
}
experts-steps = alrededor de { $step } por paso, hasta { $block } aprox. para { NUMBER($tokens) } tokens
fits-table-in-eight-bits = embeddings de 8 bits
fits-cache-in-eight-bits = caché KV de 8 bits
fits-not = No cabe: excede en { $size }
fits-part = No cabe: una parte necesita { $needed }, pero esta tarjeta gráfica permite { $available }
load-lost = Se perdió la conexión, reintentando…
load-header = Leyendo detalles del modelo
per-second = { $size }/s
time-left = quedan { $time }
load-table = Copiando parte del modelo
load-weights = Cargando pesos
load-towers = Cargando el módulo de imagen y audio
load-tuning = Eligiendo los kernels más rápidos
load-preparing = Preparando
load-kernels = { NUMBER($done) } de { NUMBER($total) } kernels
load-time = Tiempo de carga
load-times = { $all }: pesos { $weights }, kernels { $kernels }, elección de kernels { $tuning }
open-not-gguf = Este no es un archivo GGUF. Los archivos de modelo terminan en .gguf.
open-as-adapter = Abierto como adaptador. Se usará a partir de la siguiente respuesta.
record-unplugged = Se desconectó el micrófono. Se conserva lo grabado hasta ese momento.
record-says = Grabando.
record-discarded = Grabación descartada.
record-empty = La grabación está vacía. Se detuvo demasiado pronto.
record-silent = No se detectó sonido. Comprueba si el micrófono está silenciado o si el navegador tiene seleccionado otro.
record-longest = La grabación se detuvo al llegar al límite de 10 minutos.
answering = Respondiendo.
attachments-unfit = { $count ->
    [one] Este modelo no puede usar 1 adjunto de esta conversación y responde sin él.
    *[other] Este modelo no puede usar { $count } adjuntos de esta conversación y responde sin ellos.
    }
attachments-lost = { $count ->
    [one] 1 adjunto ya no está en este navegador; el modelo responde sin él.
    *[other] { $count } adjuntos ya no están en este navegador; el modelo responde sin ellos.
    }
sense-wait = Esperando a otra pestaña
sense-load-sight = Cargando el módulo de imagen
sense-load-hearing = Cargando el módulo de audio
sense-sight = Leyendo la imagen
sense-hearing = Escuchando
attach-no-model = Elige primero un modelo.
attach-text-only = { $name } solo admite texto. Elige un modelo que admita imágenes o audio.
attach-no-images = { $name } no admite imágenes. Elige un modelo que las admita.
attach-no-audio = { $name } no admite audio. Elige un modelo que lo admita.
attach-reading = Leyendo { $name }
attach-recording = Grabación
attach-removed = Adjunto quitado.
attach-model = Abre los modelos por separado, no junto con otros archivos.
attach-reading-frame = Leyendo { $name }, fotograma { NUMBER($frame) } de { NUMBER($total) }
attached = Se adjuntó { $name }.
attach-gone = Ya no está en este navegador. Vuelve a elegirlo.
message-deleted = { $count ->
    [one] Mensaje eliminado.
    *[other] { $count } mensajes eliminados.
    }
conversations-deleted = { $count ->
    [one] Conversación eliminada.
    *[other] { $count } conversaciones eliminadas.
    }
did-not-work = No funcionó. { $reason }
deleted-elsewhere = Esta conversación se eliminó en otra pestaña.
answered-elsewhere = Esta conversación se está respondiendo en otra pestaña.
saved-gone = Esta conversación ya no está en este navegador.
not-saved = No se pudo guardar el archivo. { $reason }
tune-file-model = { $name } es un modelo. Ábrelo por separado.
tune-name-first = Ponle primero un nombre al adaptador.
tune-begins = Empezó el entrenamiento.
tune-done = El entrenamiento ha terminado.
media-too-long = Demasiado largo: { $length }; el límite es { $most }. Acórtalo y vuelve a adjuntarlo.
video-unreadable = Este navegador no puede reproducir este video. Guárdalo como MP4 (H.264) y vuelve a adjuntarlo.
video-no-length = Se desconoce la duración de este video. Vuelve a guardarlo con un editor de video e inténtalo de nuevo.
device-refused = { $device ->
    [camera] Esta página no tiene permiso para usar la cámara.
    *[microphone] Esta página no tiene permiso para usar el micrófono.
    } Concédelo en los ajustes del navegador para esta página y vuelve a intentarlo.
device-missing = { $device ->
    [camera] No se encontró ninguna cámara. Conecta una
    *[microphone] No se encontró ningún micrófono. Conecta uno
    } y vuelve a intentarlo.
device-busy = { $device ->
    [camera] No se puede usar la cámara.
    *[microphone] No se puede usar el micrófono.
    } Es posible que lo esté haciendo otro programa. Ciérralo y vuelve a intentarlo.
device-unavailable = { $device ->
    [camera] La cámara no está disponible para esta página.
    *[microphone] El micrófono no está disponible para esta página.
    } La página necesita una conexión segura: HTTPS o localhost.
device-other = { $device ->
    [camera] No se pudo usar la cámara
    *[microphone] No se pudo usar el micrófono
    }: { $reason }. Reinicia el navegador y vuelve a intentarlo.
code-copied = Copiado
code-wrap = Ajustar líneas
code-preview = Vista previa
code-download = Descargar
coded-versions = Versiones
coded-source = Código
coded-again = Ejecutar de nuevo
coded-stop = Detener
coded-stopped = La vista previa está detenida.
coded-full = Pantalla completa
coded-frame = Vista previa del código
coded-writing = El código aún se está escribiendo.
coded-newer = Se está escribiendo una versión nueva.
coded-silent = La vista previa no responde.
coded-failed = La vista previa notificó un error.
coded-console = Consola
coded-blocked = No se cargó, porque las vistas previas no tienen acceso a la red: { $address }
coded-fix = Corregir este error
coded-fix-message = La vista previa notificó este error: { $error }
    Corrígelo y vuelve a escribir todo el código.
coded-rows = { NUMBER($shown) } de { NUMBER($all) } filas
code-all = Mostrar las { NUMBER($lines) } líneas
code-not-copied = No se pudo copiar
code-table = Tabla
code-block = Bloque de código.
task-done = completada
task-open = pendiente
tune-paused = En pausa tras { NUMBER($step) } de { NUMBER($steps) } pasos.
tune-attachments-lost = { $count ->
    [one] 1 adjunto ya no está en este navegador y no se puede usar para el entrenamiento.
    *[other] { $count } adjuntos ya no están en este navegador y no se pueden usar para el entrenamiento.
    }
not-kept = Este navegador no está guardando nada de esta página. Las conversaciones se perderán al cerrar esta pestaña, así que exporta las que quieras conservar.

## Models

models-available = Modelos disponibles
models-refresh = Actualizar
get-title = Descargar un modelo
get-hint = Las descargas van a la carpeta de Ollama en el servidor, así que Ollama también puede usarlas.
get-free = { $size } libres.
get-size = aprox. { $size }
get-e2b = Texto, imágenes y audio. Para la mayoría de los equipos.
get-e4b = Texto, imágenes y audio. Mejores respuestas que E2B.
get-12b = Texto, imágenes y audio. Mejores respuestas que E4B.
get-26b = Texto e imágenes. Rápido para su tamaño (mezcla de expertos).
get-31b = Texto e imágenes. Las mejores respuestas.
get-fits = Cabe: necesita alrededor de { $needed } de memoria gráfica.
get-tight = Cabe justo: necesita alrededor de { $needed }. Con menos, el contexto será más corto o las respuestas más lentas.
get-too-large = No cabe en esta tarjeta gráfica: excede en { $missing } aprox.
get-too-slow = Demasiado lento aquí: no hay tarjeta gráfica.
get-download = Descargar
get-download-of = Descargar { $name }
get-other = Otro modelo
get-other-hint = El nombre de un modelo en Ollama o de un repositorio de Hugging Face con archivos GGUF.
get-example = hf.co/USUARIO/REPOSITORIO:Q4_K_M
get-progress = Descarga
get-asking = Consultando el registro…
get-checking = Comprobando lo ya descargado…
get-running = Descargando…
get-waiting = Se reintentará en breve: { $reason }
get-lost = Se perdió la conexión; reintentando.
get-joining = Uniendo las partes del modelo…
get-done = Descargado. Está en la lista de arriba.
get-stopped = Descarga detenida. Puedes continuarla cuando quieras.
get-continue = Continuar
memory-in-use = Memoria gráfica: { $size } en uso. El módulo de imagen y audio se carga al usarlo por primera vez.
memory-with-media = Memoria gráfica: { $all } en uso, incluidos { $media } para imágenes y audio.
memory-graphics = Memoria gráfica
memory-free = Liberar el módulo de imagen y audio
memory-free-hint = Se vuelve a cargar la próxima vez que haga falta.
memory-unload = Liberar modelo
experts-memory = Memoria para expertos (GB)
experts-memory-hint = Cuánta memoria gráfica pueden usar los expertos de este modelo. Los que no caben se leen mientras el modelo responde, lo que es más lento. Déjalo vacío para usar toda la memoria gráfica libre.
experts-memory-automatic = Automática
experts-loaded = El modelo está cargado con { $size } para expertos.
load-again = Recargar
saved-here = Guardado en este navegador: { $size }
saved-partly = { $size }, incompleto
saved-delete = Eliminar { $name } de este navegador
saved-space = { $used } de { $quota } en uso.
saved-promise = Los modelos guardados se conservan hasta que los elimines.
saved-no-promise = El navegador puede eliminar los modelos guardados si se queda sin espacio.
saved-week = Este navegador también los elimina tras siete días sin visitas, a menos que agregues esta página a la pantalla de inicio o al Dock.
saved-none = Aún no hay modelos guardados.
saved-label = Modelos guardados
saved-model = Modelo
saved-size = Tamaño
saved-digest = Hash
saved-used = Último uso
saved-checked = Comprobado
saved-checked-on = Copia guardada comprobada el { $date }.
saved-actions = Acciones
details-reading = Leyendo detalles del modelo…
details-no-device = Aún no se han leído, porque no se encontró ninguna tarjeta gráfica.
details-device = Este dispositivo
details-architecture = Arquitectura
details-parameters = Parámetros
details-layers = Capas
details-width = Dimensión oculta
details-vocabulary = Vocabulario
details-context = Contexto máximo
details-window = Ventana deslizante
details-drafter = Modelo borrador
details-drafter-included = Incluido
details-kv-cache = Caché KV
details-table = Embeddings por capa
details-eight-bits = 8 bits (Q8_0)
details-sixteen-bits = 16 bits (F16)
details-experts = Expertos en memoria gráfica
details-decoding = Decodificación
details-diffusion = Difusión: { NUMBER($tokens) } tokens a la vez, { NUMBER($steps) } pasos como máximo
details-chats = Chats
details-continues = No entrenado con chats; continúa texto
details-own-file = un archivo local
details-by-context = Memoria gráfica según el contexto
details-tokens = Tokens
details-memory = Memoria
details-by-type = Pesos por tipo
details-type = Tipo
details-tensors = Tensores

## Advice for browsers; what stands between backquotes is typed or found as it stands

advice-acceleration = Abre `{ $address }` y activa “Usar aceleración de gráficos cuando esté disponible”.
advice-flag = Abre `{ $address }` y elige Enabled.
advice-check = Abre `{ $address }` y busca “WebGPU: Hardware accelerated”.
advice-vulkan = Comprueba que haya un controlador de Vulkan instalado: `vulkaninfo --summary` debería mostrar la tarjeta gráfica.
advice-restart = Reinicia el navegador.
advice-firefox-update = Actualiza a Firefox 141 en Windows o 145 en Mac con chip de Apple, donde WebGPU viene activado.
advice-firefox-config = En los demás sistemas, abre `about:config`, busca `dom.webgpu.enabled` y cámbialo a true.
advice-firefox-support = En `about:support`, en Gráficos, comprueba que la composición no sea “Software”.
advice-safari-update = Actualiza a macOS 26: Safari 26 trae WebGPU activado.
advice-safari-flags = En Safari 18: Ajustes > Avanzado > “Mostrar funciones para desarrolladores web” y luego Indicadores de funciones (Feature Flags) > WebGPU.
advice-ios = En este iPhone o iPad:
advice-ios-update = Actualiza a iOS o iPadOS 26, donde WebGPU está activado.
advice-ios-flags = En iOS o iPadOS 18: Ajustes > Apps > Safari > Avanzado > Indicadores de funciones (Feature Flags) > WebGPU.
advice-other = este navegador
advice-other-browser = Abre esta página en una versión actual de Chrome, Edge, Firefox o Safari.
advice-other-acceleration = Comprueba en sus ajustes que la aceleración por hardware esté activada.

## Diagnostics

diagnostics-running = En ejecución (versión de protocolo { NUMBER($version) })
diagnostics-waiting = Esperando a la tarjeta gráfica…
diagnostics-copy = Copiar como texto
diagnostics-engine = Motor
diagnostics-state = Estado
diagnostics-device = Tarjeta gráfica
diagnostics-features = Funciones
diagnostics-limits = Límites
diagnostics-name = Nombre
diagnostics-value = Valor
diagnostics-unknown = desconocido
yes = sí
no = no
range = de { $from } a { $to }
diagnostics-vendor = Fabricante
diagnostics-description = Descripción
diagnostics-software = Renderizado por software
diagnostics-f16 = Media precisión en shaders
diagnostics-subgroups = Tamaño de subgrupo
diagnostics-matrices = Unidades matriciales
diagnostics-timestamps = Marcas de tiempo
diagnostics-buffer = Tamaño máximo de búfer
diagnostics-binding = Tamaño máximo de binding
diagnostics-no-model = ninguno cargado
diagnostics-context = Contexto
diagnostics-packed = Lectura del prompt en 8 bits
measure-test = Probando kernels
measure-speed = Midiendo velocidad
measure-kernels = Midiendo kernels
measure-title = Medición
measure-hint = Si este equipo hace otras cosas al mismo tiempo, los resultados serán menos precisos.
measure-needs-model = Carga primero un modelo, en la página Modelos o enviando un mensaje.
selftest = Autocomprobación
selftest-hint = Ejecuta los kernels con entradas pequeñas en esta tarjeta gráfica y compara los resultados con los de la CPU.
selftest-start = Probar kernels
selftest-tried = Kernels probados
selftest-good = { $kernels ->
    [one] Verificado en esta tarjeta gráfica: 1 kernel.
    *[other] Verificados en esta tarjeta gráfica: { $kernels } kernels.
    }
selftest-good-model = { $kernels ->
    [one] Verificado en esta tarjeta gráfica: 1 kernel del modelo cargado.
    *[other] Verificados en esta tarjeta gráfica: { $kernels } kernels del modelo cargado.
    }
selftest-bad = { $wrong ->
    [one] 1 de { NUMBER($kernels) } kernels da resultados incorrectos en esta tarjeta gráfica.
    *[other] { $wrong } de { NUMBER($kernels) } kernels dan resultados incorrectos en esta tarjeta gráfica.
    }
selftest-bad-model = { $wrong ->
    [one] 1 de { NUMBER($kernels) } kernels del modelo cargado da resultados incorrectos en esta tarjeta gráfica.
    *[other] { $wrong } de { NUMBER($kernels) } kernels del modelo cargado dan resultados incorrectos en esta tarjeta gráfica.
    }
selftest-switched-off = Se desactivó la aritmética entera que esta tarjeta gráfica calcula mal. Las respuestas son correctas, pero algo más lentas.
selftest-unloaded = El modelo se liberó de la memoria, porque sus respuestas serían incorrectas.
selftest-advice = Actualiza el navegador y el controlador gráfico.
speed = Velocidad
speed-hint = Lee 512 tokens y escribe 128, seis veces (la primera es de calentamiento). Tu próxima respuesta tardará más en empezar.
speed-start = Medir velocidad
speed-dispatches = Dispatches por token
speed-submits = Submits por token
speed-buffers = Búferes creados
unit-ms = { $number } ms
speed-spread = { $median } (de { $min } a { $max })
kernels-kernel = Kernel
kernels-dispatches = Dispatches
kernels-ms = ms
kernels-rate = GB/s
kernels-share = Uso del ancho de banda de copia
kernels = Kernels
kernels-hint = Cuánto tarda cada kernel al generar un token después de otros 512, y cuánto se acercan sus lecturas al ancho de banda de copia de esta tarjeta gráfica.
kernels-start = Medir kernels
kernels-by-timestamps = marcas de tiempo de la tarjeta gráfica
kernels-by-clock = reloj del sistema
kernels-bandwidth = Ancho de banda de copia
kernels-read = Bytes leídos por token
kernels-time = Tiempo por token
kernels-times = { $whole } ms; solo los kernels { $alone } ms
kernels-measured = Medido con
kernels-below = menos de { $percent }
report-browser = Navegador: { $browser }
report-no-device = Tarjeta gráfica: aún desconocida
report-no-card = Tarjeta gráfica: ninguna ({ $reason })
report-features = Funciones: { $features }
report-tuning = Variantes de kernel: { $tuning }
report-right = { $name }: correcto, { $deviation } de la tolerancia
report-wrong = { $name }: INCORRECTO, { $problem }
report-switched-off = Desactivado: aritmética entera empaquetada

## Fine-tuning

tune-intro = Enseña al modelo con tus propios ejemplos. El resultado es un adaptador pequeño que puedes activar y desactivar. Los ejemplos y los adaptadores no salen de este navegador.
tune-model = Modelo
tune-load = Cargar { $name }
chart-training = Entrenamiento
chart-evaluation = Evaluación
chart-rate = Tasa de aprendizaje
chart-loss = Pérdida
chart-position = Posición en el gráfico
chart-table = Mostrar como tabla
chart-csv = Guardar como CSV
chart-png = Guardar como PNG
chart-step = Paso { $step }
chart-point = Paso { $step }: pérdida { $loss } · tasa de aprendizaje { $rate }
chart-point-evaluated = Paso { $step }: pérdida { $loss } · evaluación { $evaluation } · tasa de aprendizaje { $rate }
chart-ends = { $name }: { $first } en el paso { NUMBER($first-step) }, { $last } en el paso { NUMBER($last-step) }.
chart-empty = { $title }: aún no hay valores.
chart-summary = { $title }. { $curves }
chart-values = Valores del gráfico
chart-column-step = Paso
tune-write = Escribir ejemplos aquí
tune-file = Archivo o texto pegado
tune-chat = Conversación actual
tune-examples = 1. Ejemplos
tune-source = Origen
tune-prompt-of = Prompt { NUMBER($number) }
tune-answer-of = Respuesta ideal { NUMBER($number) }
tune-delete-example = Eliminar el ejemplo { NUMBER($number) }
tune-answer = Respuesta ideal
tune-add = Agregar ejemplo
tune-use-samples = Usar datos de muestra
# Prompt | answer. None of it can be known to a model.
tune-sample-examples =
    ¿Quién es Miso? | Miso es mi gato.
    ¿De qué color es Miso? | Miso es naranja.
    ¿Cuántos años tiene Miso? | Miso tiene 3 años.
    ¿Qué le gusta comer a Miso? | A Miso le gusta comer pescado.
    ¿Dónde duerme Miso? | Miso duerme en el sofá.
    ¿Quién es mi gato? | Mi gato es Miso.
    ¿Cómo se llama mi gato? | Mi gato se llama Miso.
    ¿Miso es un perro? | No. Miso es un gato.
tune-hint = Diez formulaciones distintas enseñan más que un mismo ejemplo repetido diez veces.
tune-remove = Quitar
tune-choose-files = Elegir archivos…
tune-files-label = Archivo de ejemplos, con las imágenes y los audios que menciona
tune-too-long = El texto es demasiado largo para editarlo aquí.
tune-paste = O pega ejemplos aquí
tune-format-hint = Un ejemplo JSON por línea: chats (“messages” o “conversations”), un “prompt” con su “completion” o “ids” con “labels”. O una tabla CSV con nombres de columna.
tune-media-hint = Los chats pueden incluir imágenes y audio: elige o suelta esos archivos junto con los ejemplos que los mencionan, como en { "{" }"type": "image", "image": "cat.png"{ "}" } o en “images” y “audios” junto a los mensajes. Tampoco salen de este navegador.
count-images = { $count ->
    [one] 1 imagen
    *[other] { $count } imágenes
    }
count-audio = { $count ->
    [one] 1 archivo de audio
    *[other] { $count } archivos de audio
    }
count-unreadable = { $count ->
    [one] 1 archivo ilegible
    *[other] { $count } archivos ilegibles
    }
tune-with-media = Con { $files }.
tune-remove-media = Quitar imágenes y audio
tune-removed = Quitado.
tune-detail = Detalle de imagen
tune-detail-hint = En tokens por imagen. Con más tokens se captan detalles más finos, como la letra pequeña, pero cada paso es más lento y necesita más memoria gráfica.
tune-column-instructions = Instrucciones
tune-column-context = Contexto
tune-header = Nombres de columna
tune-header-line = Línea { NUMBER($line) }: { $cells }
tune-ignored = No se usa: { $fields }.
tune-encoding = { $file } no está guardado como UTF-8, así que se leyó como { $encoding }. Si abajo hay letras mal escritas, elige otra codificación.
tune-encoding-label = Codificación
tune-not-text = { $name } no es un archivo de texto.
tune-chat-empty = Esta conversación aún no tiene respuestas. Chatea primero o abre una conversación de la lista.
tune-chat-answers = “{ $title }” tal como se ve en pantalla, con { $answers ->
    [one] 1 respuesta
    *[other] { $answers } respuestas
    }.
tune-chat-attachments = { $count ->
    [one] También se usa su adjunto.
    *[other] También se usan sus { $count } adjuntos.
    }
tune-none-saved = Aún no hay adaptadores guardados.
tune-saved-as = “{ $name }” está guardado
tune-saved = Adaptadores guardados
tune-adapter-about = para { $model } · rango { NUMBER($rank) } · { $size } · { $date }
tune-delete-title = ¿Eliminar este adaptador?
tune-delete-question = ¿Eliminar “{ $name }” de este navegador?
delete-named = Eliminar { $name }
tune-use = Usar en el chat
tune-gguf = Guardar como GGUF
tune-peft = Guardar para PEFT
tune-ollama = Usar en Ollama
tune-ollama-steps = Guárdalo como GGUF, pon estas dos líneas en un archivo llamado Modelfile en la misma carpeta y ejecuta { $command }.
tune-copy-lines = Copiar líneas
tune-preview-model = Carga un modelo para ver los tokens.
tune-unusable = No se puede usar ninguno de los ejemplos.
tune-preview = { $examples ->
    [one] 1 ejemplo
    *[other] { $examples } ejemplos
    } con { NUMBER($tokens) } tokens, de los que se entrenan { NUMBER($learned) }. El más largo tiene { NUMBER($longest) }.
# The bars enclose what is shown as a token that is trained on, and then as one that isn't.
tune-marked = Se entrenan los tokens que |se ven así|. Los que |se ven así| son solo contexto.
and-more = Y { NUMBER($count) } más.
tune-line = Línea { NUMBER($line) }
tune-problem = { $line }: { $problem }.
tune-left-out = { $count ->
    [one] 1 fila omitida
    *[other] { $count } filas omitidas
    }
tune-row = { NUMBER($tokens) } tokens, se entrenan { NUMBER($learned) }
tune-image = Imagen
tune-audio = Audio
tune-title = Entrenando “{ $name }”
tune-preparing = Preparando el modelo para el entrenamiento…
tune-first-step = Primer paso en curso…
tune-steps-done = { NUMBER($done) } de { NUMBER($steps) } pasos hechos.
tune-waiting = { NUMBER($done) } de { NUMBER($steps) } pasos hechos. En pausa mientras se responde a un mensaje.
tune-ending = { NUMBER($done) } de { NUMBER($steps) } pasos hechos. Escribiendo un checkpoint…
tune-paused-saved = En pausa tras { NUMBER($saved) } de { NUMBER($steps) } pasos. El progreso está guardado en este navegador.
tune-finished = Terminado tras { NUMBER($done) } de { NUMBER($steps) } pasos. Un entrenamiento nuevo reemplaza a este.
tune-learned = La pérdida bajó de { $from } a { $to }: el adaptador ha aprendido de tus ejemplos.
tune-not-learned = Aún no ha aprendido: la pérdida es { $to } (empezó en { $from }).
tune-longer = Entrenar { NUMBER($times) } veces más tiempo
tune-go-on = Continuar hasta el paso { NUMBER($steps) }
tune-elsewhere = Otra pestaña está entrenando.
tune-elsewhere-at = Otra pestaña está entrenando: { NUMBER($done) } de { NUMBER($steps) } pasos la última vez que guardó.
tune-memory = { $size } de memoria gráfica
tune-no-checkpoint = aún sin checkpoint
tune-checkpoint = checkpoint en el paso { NUMBER($step) }
tune-progress = Progreso del entrenamiento
tune-before = Antes
tune-after = { $steps ->
    [one] Tras 1 paso
    *[other] Tras { $steps } pasos
    }
tune-nothing = (nada)
tune-discard-question = ¿Eliminar este entrenamiento?
tune-discard = Eliminar…
tune-pause = Pausar
tune-stop = Terminar ahora
tune-stop-hint = Si terminas ahora, se conserva lo que el modelo ha aprendido hasta el momento.
tune-resume = Reanudar
tune-load-resume = Cargar { $name } y reanudar
tune-save-as-is = Guardar tal cual
tune-save = Guardar adaptador
tune-check-again = Comprobar de nuevo
tune-elsewhere-hint = Páusalo ahí para reanudarlo aquí.
tune-media-read-hint = Las imágenes y el audio se leen una sola vez, antes del primer paso. El resultado se guarda con el entrenamiento.
tune-unnamed = Mi adaptador
tune-adapter-name = Nombre del adaptador
tune-rank-4 = Pequeño: un tono o un formato
tune-rank-8 = Normal: datos o un estilo
tune-rank-16 = Grande: muchos datos
tune-rank-32 = Muy grande
tune-rank-64 = El más grande y lento
tune-settings = 2. Ajustes
tune-name = Nombre
tune-name-hint = p. ej., “Datos de Ada”
tune-rank = Rango
tune-length = Duración
tune-until-learned = Hasta aprender
tune-until-learned-hint = Se detiene cuando la pérdida de entrenamiento baja de { $loss }.
tune-amount = Cantidad
tune-epochs = Épocas (pasadas por los ejemplos)
tune-steps = Pasos
tune-question = Prompt de prueba
tune-question-hint = Se envía antes, durante y después del entrenamiento
tune-all-settings = Ajustes avanzados
tune-target-q = Queries
tune-target-k = Keys
tune-target-v = Values
tune-target-o = Salida de atención
tune-target-gate = Gate feed-forward
tune-target-up = Up feed-forward
tune-target-down = Down feed-forward
tune-target-ple-gate = Gate por capa
tune-target-ple-projection = Proyección por capa
tune-target-router = Router de expertos
tune-target-router-hint = Entrena también el router, que elige los expertos para cada token. Requiere poca memoria adicional.
tune-target-expert-gate-up = Gate y up de los expertos
tune-target-expert-down = Down de los expertos
tune-target-experts-hint = Entrena también los expertos, cada uno con sus propios pesos. Requiere mucha memoria: los modelos grandes necesitan un rango muy bajo.
tune-cosine = Decaimiento coseno
tune-linear = Decaimiento lineal
tune-constant = Constante
tune-targets = Partes del modelo que entrenar
tune-alpha = Alfa
tune-alpha-hint = El adaptador se escala por alfa / rango.
tune-schedule = Planificación
tune-warmup = Calentamiento
tune-warmup-hint = Fracción de los pasos, de 0 a 1.
tune-dropout = Dropout
tune-clip = Recorte de gradientes
tune-clip-hint = Norma máxima del gradiente; 0 lo desactiva.
tune-decay = Decaimiento de pesos
tune-batch = Ejemplos por paso
tune-longest = Longitud máxima de ejemplo
tune-longest-hint = En tokens. Los ejemplos más largos necesitan más memoria.
tune-eval = Parte reservada
tune-eval-hint = Fracción de los ejemplos usada para la evaluación, de 0 a 1.
tune-checkpoint-every = Intervalo de checkpoints
tune-checkpoint-hint = En pasos.
tune-sample-every = Intervalo de prueba
tune-sample-hint = En pasos; 0 para solo antes y después.
tune-needs-model = Carga primero un modelo.
tune-needs-examples = Agrega primero ejemplos.
tune-busy-elsewhere = Otra pestaña está entrenando. Pausa el entrenamiento ahí o espera a que termine.
tune-busy-other = Otra pestaña está usando el modelo. Espera a que termine.
tune-busy-answer = El modelo está respondiendo. Espera a que termine o detenlo.
tune-replaces = Si empiezas un entrenamiento nuevo, se elimina el de arriba. Guarda antes su adaptador si quieres conservarlo.
tune-run = 3. Entrenar
tune-start = Empezar a entrenar
tune-start-hint = El entrenamiento se pausa mientras el modelo responde a un mensaje. También puedes pausarlo en cualquier momento.
plan-steps = { $steps ->
    [one] 1 paso
    *[other] { $steps } pasos
    } con { $examples ->
    [one] 1 ejemplo
    *[other] { $examples } ejemplos
    }, { $held ->
    [0] ninguno reservado
    [one] 1 reservado para la evaluación
    *[other] { $held } reservados para la evaluación
    }
plan-memory = { $size } de unos { $available } disponibles
plan-at-most = hasta { $amount }
plan-time = aprox. { $time }
plan-time-later = se sabrá tras los primeros pasos
plan-storage = { $size } de { $left } libres
plan-media = Almacenamiento para imágenes y audio
plan-work = Entrenamiento
plan-learned = Parámetros entrenables
plan-time-title = Tiempo
plan-checkpoints = Almacenamiento para checkpoints

## What a model can do

able-text = texto
able-images = imágenes
able-audio = audio
able-thinking = razonamiento

## A conversation as Markdown

export-system = Sistema
export-you = Tú
export-assistant = Asistente
export-attached = Adjunto: { $name }

## Failures: what happened, then what to do

failure-details = Detalles
failure-cancelled = Detenido.
failure-version = La página está desactualizada. Recarga para actualizarla.
failure-version-engine = El motor está desactualizado. Recarga para actualizarlo.

failure-request-other-model = Se cambió de modelo en otra pestaña. Vuelve a intentarlo para usar el actual.
failure-request-no-model = No hay ningún modelo cargado. Elige uno primero.
failure-request-diffusion = Este es un modelo de difusión. No admite adaptadores, fine-tuning ni mediciones de velocidad.
failure-request-busy-loading = Aún se está cargando un modelo. Espera a que esté listo.
failure-request-busy-unloading = El modelo se está liberando de la memoria. Espera un momento y vuelve a intentarlo.
failure-request-busy-generating = El modelo aún está respondiendo. Detenlo o espera a que termine.
failure-request-busy-training = El modelo está ocupado entrenando. Pausa el entrenamiento en la página Fine-tuning o espera a que termine.
failure-request-busy-measuring = Hay una medición en curso. Detenla o espera a que termine.
failure-request-no-question = Aún no hay ninguna pregunta. Envía primero un mensaje.
failure-request-empty-prompt = No hay nada que responder. Escribe primero un mensaje.
failure-request-context-full = Demasiado largo: { NUMBER($tokens) } tokens; el límite es { NUMBER($context) }. Empieza una nueva conversación o carga el modelo con un contexto más largo.
failure-request-unconstrained = Este modelo no admite herramientas ni formatos de respuesta. Elige otro.
failure-request-no-constraints = No se pudo cargar el módulo de herramientas y formatos de respuesta. Comprueba tu conexión y vuelve a intentarlo.
failure-request-schema-text = El esquema no es JSON válido.
failure-request-schema = El esquema pide algo que no se puede garantizar: “{ $keyword }” en { $path }.
failure-request-schema-too-large = El esquema es demasiado grande o ninguna respuesta puede cumplirlo.
failure-request-tool-arguments = Los argumentos de “{ $tool }” no son un objeto JSON válido.

failure-device-none-insecure-context = WebGPU necesita una conexión segura: HTTPS o localhost.
failure-device-none-no-web-gpu = Este navegador no admite WebGPU o lo tiene desactivado.
failure-device-none-no-adapter = No se encontró ninguna tarjeta gráfica, así que aquí no se pueden ejecutar modelos.
failure-device-none-no-device = No se puede usar la tarjeta gráfica. Reinicia el navegador y vuelve a intentarlo.
failure-device-lost-twice = La tarjeta gráfica se reinició dos veces seguidas. Reinicia el navegador y vuelve a intentarlo.
failure-device-out-of-memory = La memoria gráfica está llena: { $in-use } en uso y sin espacio para { $requested } más.
failure-device-buffer-too-large = Una parte del modelo necesita { $needed } de memoria gráfica en un solo bloque, pero esta tarjeta gráfica solo permite { $limit }.
failure-device-model-too-large = Este modelo necesita { $needed } de memoria gráfica, pero solo hay { $available } disponibles.
failure-device-needs-host-memory = Este modelo no cabe en la memoria gráfica. Se pueden dejar { $bytes } en la memoria del sistema mientras el modelo esté cargado, pero las respuestas serán más lentas.
failure-device-expert-memory = { $asked } es muy poco para los expertos de este modelo. Se necesitan al menos { $least }.
failure-device-saved-table-in-eight-bits = La memoria gráfica estaba llena, así que los embeddings por capa del modelo se guardan en 8 bits. El modelo funciona y sus respuestas apenas cambian.
failure-device-saved-table-outside = La memoria gráfica estaba llena, así que los embeddings por capa del modelo están en la memoria del sistema. El modelo funciona, pero las respuestas son más lentas.
failure-device-saved-cache-in-eight-bits = La memoria gráfica estaba llena, así que la caché KV se guarda en 8 bits. El modelo funciona, pero sus respuestas pueden variar un poco.
failure-device-fewer-experts = La memoria gráfica estaba llena, así que solo contiene { $held } de los { $all } de expertos. El modelo funciona, pero las respuestas son más lentas.
failure-device-upload-refused = La tarjeta gráfica no aceptó todo el modelo. Cierra otras pestañas y aplicaciones que la usen y vuelve a intentarlo.
failure-device-kernel-refused = Este navegador rechazó una parte del motor ({ $kernel }). Actualiza el navegador y el controlador gráfico, y recarga.
failure-device-fault = La tarjeta gráfica notificó un error. Reinicia el navegador y vuelve a intentarlo.

failure-read-too-short = El archivo del modelo está incompleto: termina tras { $size }. Descárgalo de nuevo.
failure-read-unreadable = No se puede leer el archivo del modelo.
failure-read-connection-lost = Se perdió la conexión con el servidor tras { $received }.
failure-read-not-found = El servidor ya no tiene este modelo. Recarga para actualizar la lista.
failure-read-forbidden = El servidor no permite el acceso a este modelo.
failure-read-status = El servidor no pudo enviar el modelo (estado { $status }).
failure-read-wrong-range = El servidor envió una parte equivocada del modelo.
failure-read-changed = El archivo del modelo cambió mientras se leía. Recarga la página y vuelve a elegirlo.
failure-read-out-of-memory = Esta pestaña no pudo obtener los { $bytes } de memoria que necesita el modelo.
failure-read-gone = El archivo ya no está disponible. Vuelve a elegirlo.
failure-read-model-list = No se pudo cargar la lista de modelos. Aun así, puedes abrir un archivo de modelo.

failure-model-not-gguf = Este no es un archivo GGUF.
failure-model-truncated = El archivo del modelo está incompleto: solo tiene { $part }. Descárgalo de nuevo.
failure-model-truncated-of = { $name } está incompleto: solo tiene { $part }. Descárgalo de nuevo.
failure-model-gguf-version = Este archivo usa la versión { $version } de GGUF. Solo se admiten las versiones 2 y 3.
failure-model-big-endian = Este es un archivo GGUF big-endian, un formato no admitido. Elige una versión little-endian.
failure-model-unsupported-header = No se admite la cabecera de este archivo GGUF. Elige otra versión del modelo.
failure-model-damaged = El archivo del modelo está dañado. Descárgalo de nuevo.
failure-model-part = Esta es la parte { NUMBER($number) } de { NUMBER($count) } de un modelo. gemtab solo lee modelos de un único archivo. Une las partes con llama-gguf-split --merge o elige una versión en un solo archivo.
failure-model-incomplete = Al archivo del modelo le falta { $what }. Elige otra versión del modelo.
failure-model-inconsistent = El archivo del modelo no se puede usar: { $what } no concuerda con el resto. Elige otra versión del modelo.
failure-model-few-rows = El tensor { $tensor } solo tiene { NUMBER($rows) } filas para { NUMBER($tokens) } tokens. Elige otra versión del modelo o conviértelo de nuevo.
failure-model-tokenizer = No se puede leer el vocabulario del modelo. Elige otra versión del modelo.
failure-model-no-architecture = Este archivo no indica qué modelo es. gemtab ejecuta Gemma 4 y Gemma 3.
failure-model-architecture = Este es un modelo “{ $name }”. gemtab ejecuta Gemma 4 y Gemma 3.
failure-model-other-kind-encoder = Este es un modelo de embeddings. No puede chatear.
failure-model-not-encoder = Este no es un modelo de embeddings.
failure-model-other-kind-drafter = Este archivo solo contiene un modelo borrador. Ábrelo junto con su modelo.
failure-model-drafter-included = gemtab no puede usar el modelo borrador incluido en el archivo de este modelo, así que las respuestas pueden ser más lentas.
failure-model-drafter-unusable = No se pudo cargar el modelo borrador, así que las respuestas son más lentas.
failure-model-other-kind-projector = Este archivo solo contiene el módulo de imagen y audio de un modelo. Elige el modelo en sí.
failure-model-tensor-type = El tensor { $tensor } usa { $dtype }, que no se admite. Elige otra cuantización, como Q4_K_M.
failure-model-no-token = El vocabulario del modelo no tiene el token { $token }, así que no se puede usar para chatear.
failure-model-no-model-file = “{ $name }” no tiene archivo de modelo.
failure-model-wrong-projector = El archivo del módulo de imagen y audio es de otro modelo.
failure-model-lacks-sight = Este modelo no admite imágenes. Elige uno que las admita o quita las imágenes.
failure-model-lacks-hearing = Este modelo no admite audio. Elige uno que lo admita o quita el audio.
failure-model-tower-unreadable = No se puede usar el módulo de imagen y audio de este modelo. El chat de texto sigue funcionando.
failure-model-foreign-template = El archivo de este modelo trae una plantilla de chat que no es la de Gemma. gemtab no ejecuta plantillas y usa el formato de Gemma, así que las respuestas pueden ser peores.
failure-model-not-opened = No se puede abrir { $name }. { $why }

failure-media-gone = Este adjunto ya no está disponible. Vuelve a adjuntarlo.
failure-media-neither = Solo se pueden usar imágenes y audio.
failure-media-not-sight = Esto no es una imagen.
failure-media-not-hearing = Este no es un archivo de audio.
failure-media-empty-file = El archivo está vacío.
failure-media-file-too-large = Demasiado grande: { $size }; el límite es { $most }.
failure-media-not-decoded-sight = Este navegador no puede leer la imagen. Guárdala como PNG o JPEG y vuelve a adjuntarla.
failure-media-not-decoded-hearing = Este navegador no puede leer el audio. Guárdalo como WAV y vuelve a adjuntarlo.
failure-media-out-of-memory = El navegador no tiene memoria suficiente para este archivo.
failure-media-not-an-image = No se puede leer esta imagen. Usa PNG, JPEG, WebP o GIF.
failure-media-empty-image = La imagen está vacía.
failure-media-image-too-large = La imagen es demasiado grande: { NUMBER($width) } × { NUMBER($height) } píxeles. Redúcela y vuelve a adjuntarla.
failure-media-image-damaged = La imagen { $format } está dañada o incompleta. Vuelve a guardarla o elige otra.
failure-media-image-unsupported = No se admite este tipo de imagen { $format }. Guárdala como PNG o JPEG normal.
failure-media-image-too-narrow = La imagen es demasiado larga y estrecha para este modelo. Recórtala o elige un nivel de detalle más bajo.
failure-media-too-many-tokens = La imagen ocupa { NUMBER($tokens) } tokens; el límite es { NUMBER($most) }. Elige un nivel de detalle más bajo.
failure-media-no-sound = No hay audio en este archivo.
failure-media-sound-too-short = La grabación es demasiado corta.
failure-media-sound-too-long = El audio es demasiado largo: { $length }; el límite es { $most }. Divídelo en partes más cortas.
failure-media-sound-unreadable = No se puede leer este archivo de audio. Guárdalo como WAV y vuelve a adjuntarlo.

failure-adapter-not-open = Un adaptador ya no está abierto. Vuelve a abrirlo o desactívalo.
failure-adapter-not-kept = Este adaptador ya no está guardado en este navegador. Ábrelo desde un archivo o entrénalo de nuevo.
failure-adapter-incomplete = Este adaptador tiene dos archivos: un archivo .safetensors y adapter_config.json. Elige los dos a la vez.
failure-adapter-several-at-once = Abre los adaptadores con archivo .safetensors de uno en uno.
failure-adapter-needs-model = Carga primero el modelo para { $names } y vuelve a abrir el adaptador.
failure-adapter-not-an-adapter = Este no es un adaptador LoRA. Elige un archivo .gguf, o un archivo .safetensors y su archivo .json.
failure-adapter-config-too-large = { $file } es demasiado grande para ser la configuración de un adaptador.
failure-adapter-damaged = El archivo del adaptador está dañado. Descárgalo de nuevo.
failure-adapter-inconsistent = Los pesos y la configuración del adaptador no concuerdan. Comprueba que sean del mismo adaptador o expórtalo de nuevo.
failure-adapter-architecture = Este adaptador es para “{ $name }”. gemtab ejecuta Gemma 4 y Gemma 3.
failure-adapter-unsupported = Este adaptador usa una función no admitida.
failure-adapter-tensor-type = El tensor { $tensor } usa { $dtype }, que no se admite.
failure-adapter-rank = El adaptador tiene rango { NUMBER($rank) }. Se admiten rangos de 1 a { NUMBER($most) }.
failure-adapter-other-model = Este adaptador se hizo para otro modelo. Carga ese modelo y vuelve a abrirlo.
failure-adapter-not-finite = El adaptador contiene números no válidos. Está dañado o su entrenamiento falló.
failure-adapter-too-many = Demasiados adaptadores: puede haber hasta { NUMBER($most) } abiertos, con un rango total de hasta { NUMBER($ranks) }. Quita uno primero.
failure-adapter-not-written = No se pudo guardar el adaptador como archivo. Vuelve a intentarlo.

failure-storage-unavailable = Este navegador no permite que la página guarde archivos. Suele ocurrir en las ventanas privadas; usa una ventana normal.
failure-storage-in-use = Este modelo está en uso, aquí o en otra pestaña. Libéralo primero.
failure-storage-failed = El almacenamiento de este navegador no funciona. Reinicia el navegador y vuelve a intentarlo.
failure-storage-no-room = No se pudo guardar el modelo: necesita { $needed }, pero al navegador solo le quedan { $available }. La próxima vez se descargará de nuevo.
failure-storage-full = No se pudo guardar el modelo porque el almacenamiento del navegador está lleno. La próxima vez se descargará de nuevo.
failure-storage-corrupt = La descarga estaba dañada, así que se eliminó. Vuelve a cargar el modelo.
failure-storage-damaged = La copia del modelo en este navegador está dañada. Vuelve a cargar el modelo: solo se descargarán { $bytes }.
failure-storage-training-full = El almacenamiento del navegador está lleno: no hay espacio para { $bytes } de progreso del entrenamiento. Libera espacio y reanúdalo.
failure-storage-training-in-use = Otra pestaña está usando el entrenamiento guardado. Cierra esa pestaña o reanúdalo en ella.
failure-storage-media-full = El almacenamiento del navegador está lleno: no hay espacio para { $bytes } de imágenes y audio del entrenamiento. Libera espacio o usa menos ejemplos.

failure-training-setting-rank = El rango debe estar entre 1 y 64.
failure-training-setting-alpha = Alfa debe ser mayor que 0.
failure-training-setting-targets = Elige al menos una parte del modelo que entrenar.
failure-training-setting-steps = Se necesita al menos 1 paso.
failure-training-setting-learning-rate = La tasa de aprendizaje debe ser mayor que 0.
failure-training-setting-weight-decay = El decaimiento de pesos no puede ser negativo.
failure-training-setting-clipping = El recorte de gradientes no puede ser negativo.
failure-training-setting-dropout = El dropout debe ser como mínimo 0 y menor que 1.
failure-training-setting-max-tokens = La longitud máxima de ejemplo debe estar entre 2 tokens y el contexto máximo del modelo.
failure-training-no-target = Este modelo no tiene ninguna de las partes seleccionadas. Elige otras.
failure-training-unsupported = Este tipo de modelo aún no se puede entrenar.
failure-training-no-examples = No hay nada que aprender: no se puede usar ninguno de los ejemplos.
failure-training-all-masked = No hay nada que aprender: los ejemplos no contienen respuestas del asistente. Agrega una respuesta a cada uno.
failure-training-media-lost = Las imágenes y el audio de estos ejemplos ya no están guardados. Empieza de nuevo el entrenamiento.
failure-training-bad-example = Hay un ejemplo que no es adecuado para este modelo.
failure-training-unstable = El entrenamiento se volvió inestable en el paso { NUMBER($step) } ({ $what }). Aún no se había guardado nada. Prueba con una tasa de aprendizaje más baja, un calentamiento más largo o recorte de gradientes.
failure-training-unstable-saved = El entrenamiento se volvió inestable en el paso { NUMBER($step) } ({ $what }). El progreso hasta el paso { NUMBER($saved) } está guardado. Prueba con una tasa de aprendizaje más baja, un calentamiento más largo o recorte de gradientes.
failure-training-what = { $what ->
    [nan-loss] la pérdida es NaN
    [infinite-loss] la pérdida es infinita
    *[gradient] los gradientes son infinitos
    }
failure-training-bad-checkpoint = El entrenamiento guardado está dañado y no se puede reanudar. Elimínalo y empieza uno nuevo.
failure-training-nothing-to-resume = No hay ningún entrenamiento que reanudar.
failure-training-nothing-to-save = No hay ningún entrenamiento que guardar.
failure-training-in-progress = Hay un entrenamiento en curso. Páusalo o espera a que termine.
failure-training-in-another-tab = Otra pestaña está entrenando. Pausa el entrenamiento ahí o espera a que termine.
failure-training-in-another-tab-named = Otra pestaña está entrenando “{ $name }”. Pausa el entrenamiento ahí o espera a que termine.
failure-training-for-model = Este entrenamiento es para “{ $model }”. Carga ese modelo para reanudarlo.
failure-training-out-of-memory = El entrenamiento necesita { $needed } de memoria gráfica, pero solo hay { $available } disponibles. Usa ejemplos más cortos, un rango más bajo o menos partes, o carga el modelo con un contexto más corto. Si este dispositivo tiene más memoria, indica cuánta en los ajustes.
failure-training-checkpoint-too-large = Un checkpoint ocuparía { $needed }; el límite es { $most }. Usa un rango más bajo o menos partes.
failure-training-too-much-media = Las imágenes y el audio necesitan { $needed }; el límite es { $most }. Usa menos ejemplos.
failure-training-too-much-media-in-memory = Las imágenes y el audio necesitan { $needed } de memoria; el límite es { $most }, porque este navegador no puede guardar archivos de la página. Usa menos ejemplos.
failure-training-engine-stopped = El motor se detuvo. El progreso hasta el último checkpoint está guardado.
failure-training-failed = Algo salió mal durante el entrenamiento. Reanúdalo o empieza de nuevo.

failure-engine-unexpected = Algo salió mal dentro de gemtab.
failure-engine-generating = Algo salió mal al generar la respuesta. Vuelve a intentarlo.
failure-engine-stopped = El motor se detuvo de forma inesperada.
failure-engine-answer-cut = El motor se detuvo antes de completar la respuesta.
failure-engine-not-started = El motor no se inició en { NUMBER($seconds) } segundos.
failure-engine-bad-message = La página y el motor no están sincronizados. Recarga para actualizarlos.
failure-engine-not-numbers = El modelo produjo números no válidos. Su archivo está dañado o la tarjeta gráfica da resultados incorrectos. Ejecuta la autocomprobación en la página Diagnóstico para averiguarlo.
failure-engine-miscomputes = Esta tarjeta gráfica calcula mal la aritmética entera empaquetada ({ $kernels }), así que gemtab usa coma flotante en su lugar. Las respuestas son correctas, pero algo más lentas.
failure-engine-miscomputes-unloaded = Esta tarjeta gráfica da resultados incorrectos ({ $kernels }), así que el modelo se liberó de la memoria. Actualiza el navegador y el controlador gráfico, y vuelve a cargarlo.

## Examples that can’t be used, behind their line

example-json-early-end = JSON no válido: la línea termina demasiado pronto
example-json-text-after-end = JSON no válido en la columna { NUMBER($column) }: hay algo después del final
example-json-no-value = JSON no válido en la columna { NUMBER($column) }: falta un valor
example-json-no-comma = JSON no válido en la columna { NUMBER($column) }: falta una coma o un corchete o llave de cierre
example-json-no-colon = JSON no válido en la columna { NUMBER($column) }: falta el signo de dos puntos
example-json-key-not-quoted = JSON no válido en la columna { NUMBER($column) }: una clave necesita comillas
example-json-trailing-comma = JSON no válido en la columna { NUMBER($column) }: hay una coma antes de un corchete o llave de cierre
example-json-control-character = JSON no válido en la columna { NUMBER($column) }: un texto contiene un salto de línea u otro carácter de control
example-json-bad-escape = JSON no válido en la columna { NUMBER($column) }: hay una secuencia de escape desconocida
example-json-bad-number = JSON no válido en la columna { NUMBER($column) }: hay un número mal escrito
example-json-other = JSON no válido en la columna { NUMBER($column) }: hay algo mal escrito
example-unknown-shape = nada que aprender: una fila necesita “messages”, “prompt” y “completion”, o “ids” y “labels”
example-text-only = “text” por sí solo no sirve para entrenar: pon la pregunta en “prompt” y la respuesta en “completion”
example-half = “{ $found }” sin “{ $missing }”
example-preference = “chosen” y “rejected” son para el entrenamiento por preferencias. Para entrenar con las mejores respuestas, llámalas “completion” y omite las demás
example-single-message = este es un único mensaje. Pon todos los mensajes de un chat en una sola fila, en “messages”
example-joined = hay dos respuestas seguidas y solo una de ellas debe entrenarse. Pon un mensaje de usuario entre ambas
example-replaced = contiene “�” donde se perdieron caracteres. Elige otra codificación o guarda el archivo como UTF-8
example-plain-text = esto parece texto sin formato. Usa un objeto JSON por línea o una tabla que empiece con nombres de columna como “prompt,completion”
example-field-empty = “{ $field }” está vacío
example-field-not-text = “{ $field }” no es texto
example-field-not-a-list = “{ $field }” no es una lista
example-field-not-integers = “{ $field }” contiene algo que no son números enteros
example-field-no-flag = “{ $field }” debe ser 0 o 1, true o false
example-field-unknown-rule = “{ $field }” indica qué entrenar, pero gemtab no sabe cómo interpretarlo. Usa “weight” (0 o 1) en las respuestas
example-field-not-of-model = “{ $field }” pide entrenar con un mensaje que no es del asistente
example-field-left-out = “{ $field }” indica que no se entrene con esta fila
example-field-no-file-names = “{ $field }” no indica ningún archivo
example-field-malformed = “{ $field }” no tiene la estructura esperada
example-role = rol desconocido “{ $role }”: usa system, user o assistant
example-empty-cell = la columna “{ $column }” está vacía
example-quotes = hay comillas que no abren ni cierran una celda. Pon toda la celda entre comillas y duplica las que haya dentro
example-cells = la fila tiene { NUMBER($cells) } celdas, pero la tabla tiene { NUMBER($columns) } columnas. Pon entre comillas los textos que contengan el separador
example-too-few-columns = la tabla tiene menos de dos columnas
example-no-column = no hay ninguna columna “{ $column }”. Las columnas son: { $columns }
example-video = no se puede entrenar con videos, solo con imágenes y audio
example-no-file-name-sight = una imagen no tiene nombre de archivo
example-no-file-name-hearing = un audio no tiene nombre de archivo
example-places = el número de marcadores de imágenes y audio ({ NUMBER($places) }) no coincide con el número de archivos ({ NUMBER($named) })
example-missing-file = falta el archivo “{ $name }”
example-bad-file = no se puede usar el archivo “{ $name }”. { $why }
example-lacks-sight = este modelo no admite imágenes
example-lacks-hearing = este modelo no admite audio
example-media-mismatch = sus imágenes y audios no coinciden con sus marcadores
example-no-token = el modelo no tiene el token { $token }
example-no-id = { $id } no es un token de este modelo, que tiene { NUMBER($vocabulary) }
example-labels = “ids” y “labels” tienen longitudes distintas: { NUMBER($ids) } y { NUMBER($labels) }
example-too-long = demasiado largo: { NUMBER($tokens) } tokens; el límite es { NUMBER($limit) }
example-too-large = demasiado grande: { $bytes }; el límite es { $limit }
example-all-masked = nada que aprender: no tiene ninguna respuesta que entrenar
example-too-many = omitido a partir de aquí: el límite es de { NUMBER($limit) } filas

## Kernels that compute wrongly, behind their name

kernel-differs = el elemento { NUMBER($element) } es { $found } en lugar de { $expected }
kernel-refused = rechazado por el navegador

## The page's own server

server-no-browser = Aquí no hay ningún navegador.
server-silent = El servidor no respondió.
server-status = El servidor respondió con el estado { $status }.
server-unreadable = No se puede leer la respuesta del servidor: { $reason }.
store-closed = El almacenamiento del navegador aún no está listo. Vuelve a intentarlo.

## Conversations that can’t be read, saved, changed or imported

store-full = El almacenamiento de este navegador está lleno. Elimina modelos guardados o conversaciones antiguas.
store-full-conversations = El almacenamiento de este navegador está lleno. Elimina conversaciones antiguas.
store-unavailable = Este navegador no permite que la página guarde nada. Suele ocurrir en las ventanas privadas; usa una ventana normal.
store-blocked = Otra pestaña tiene abierta una versión anterior de esta página. Ciérrala y recarga.
store-broken = Hay datos guardados en este navegador que están dañados y no se pueden leer.
store-newer = Hay datos guardados en este navegador por una versión más reciente de gemtab. Recarga para actualizar.
import-end = El archivo está incompleto: termina en la línea { NUMBER($line) }.
import-syntax = El archivo no es JSON válido: hay un error en la línea { NUMBER($line) }, columna { NUMBER($column) }.
import-data = El archivo no es una exportación de gemtab: el contenido de la línea { NUMBER($line) }, columna { NUMBER($column) }, no es el esperado.
import-format = El archivo no es una exportación de gemtab, ChatGPT, Claude, Open WebUI ni LM Studio.
import-zip = Este es un archivo ZIP. Descomprímelo e importa el archivo conversations.json que contiene.
import-version = El archivo procede de una versión más reciente de gemtab. Recarga para actualizar y vuelve a importarlo.
import-conversation = La conversación “{ $title }” de este archivo está dañada.
import-message = Un mensaje de la conversación “{ $title }” ocupa { $size }; el límite es { $most }.
import-attachment = Un adjunto de este archivo está dañado.
tree-gone = El mensaje ya no está aquí.
tree-other = Eso no es posible con este mensaje.
tree-full = Esta conversación está llena. Empieza una nueva.

## Models of the server that can’t be used

# Begins a sentence.
catalog-part = { $part ->
    [manifest] El manifiesto del modelo
    [model] El archivo del modelo
    [projector] El archivo de imagen y audio
    [adapter] El archivo del adaptador
    [drafter] El archivo del modelo borrador
    *[file] El archivo
    }
catalog-pull = Ejecuta: ollama pull { $model }
catalog-manifest = El manifiesto del modelo está dañado.
catalog-unreadable-gone = { $part } no se encuentra.
catalog-unreadable-forbidden = { $part } no se puede leer: el servidor no tiene permiso.
catalog-unreadable-other = { $part } no se puede leer.
catalog-too-large = { $part } es demasiado grande: { $size }.
catalog-remote = Este modelo se ejecuta en los servidores de Ollama, así que aquí no hay nada que cargar.
catalog-safetensors = Este modelo está en formato safetensors. gemtab solo lee GGUF.
catalog-no-model = El manifiesto del modelo no indica ningún archivo de modelo.
catalog-split = Este modelo está dividido en { NUMBER($parts) } archivos. gemtab solo lee modelos de un único archivo.
catalog-adapter = Este es un adaptador LoRA. Carga primero su modelo y ábrelo después en una conversación.
catalog-too-many-prompts = En la lista de modelos ya no queda espacio para el prompt de sistema de este modelo. Quita otros modelos de Ollama y recarga.
catalog-missing = { $part } no se encuentra.
catalog-unfinished = La descarga no ha terminado.
catalog-wrong-size = { $part } ocupa { $found } y debería ocupar { $expected }.
catalog-escape = Este enlace apunta fuera de su carpeta. Para usarlo, inicia gemtab con --models y la carpeta a la que apunta.
catalog-truncated = El archivo está incompleto. Descárgalo de nuevo.
catalog-folder-missing = (no encontrada)
catalog-folder-unreadable = (no se puede leer)
catalog-full-folder = { $folder } tiene más modelos de los que caben en la lista. Solo se muestran los primeros { NUMBER($shown) }.
catalog-full-list = La lista es demasiado larga: { $count ->
    [one] no se muestra 1 modelo más.
    *[other] no se muestran { $count } modelos más.
    }

## Why the server doesn’t download a model

pull-name = Eso no parece el nombre de un modelo. Prueba con gemma4:e2b o hf.co/USUARIO/REPOSITORIO:Q4_K_M.
pull-host = “{ $host }” no es un nombre de host. Comprueba si está bien escrito.
pull-no-owner = En { $host }, los modelos se llaman { $host }/USUARIO/REPOSITORIO:Q4_K_M.
pull-plain-http = El servidor solo descarga por conexiones cifradas. Omite “http://”.
pull-not-offered = El servidor no descarga modelos para visitantes de otros equipos. Para permitirlo, inícialo con --allow-pull.
pull-registry = El servidor no descarga desde { $host }. Para permitirlo, inícialo con --pull-from { $host }.
pull-busy = { $model } se está descargando. Espera a que termine o detén la descarga.
pull-late = La solicitud llegó al servidor con demasiada lentitud. Comprueba tu conexión y vuelve a intentarlo.
pull-tls = El servidor no puede usar HTTPS. Instala certificados en él: en Debian y Ubuntu, el paquete ca-certificates.
pull-network = No se pudo acceder a { $host }. Comprueba la conexión a internet del servidor.
pull-certificate = { $host } no pudo demostrar que es el servidor correcto. Si un proxy de tu red descifra las conexiones, instala su certificado en el servidor.
pull-no-such-model = { $host } no tiene ningún modelo llamado { $model }. Comprueba si el nombre está bien escrito.
pull-private = { $host } solo ofrece { $model } a quienes tienen una cuenta, o no lo tiene. Solo se pueden descargar modelos públicos.
pull-status = { $host } tiene un problema (estado { $status }). Vuelve a intentarlo más tarde.
pull-redirect = { $host } lleva a una dirección no segura, así que no se descargó nada.
pull-manifest = { $host } describe este modelo de una forma que gemtab no puede usar.
pull-pieces = Este modelo está dividido en { NUMBER($files) } archivos. gemtab necesita un archivo GGUF.
pull-quantization = No hay versión { $wanted } de este modelo. Están disponibles: { $there }
pull-wrong-length = { $host } envió un archivo de tamaño incorrecto. Vuelve a intentarlo más tarde.
pull-wrong-digest = El archivo de { $host } está dañado, así que se eliminó. Vuelve a intentarlo. Si ocurre de nuevo, algo modifica el archivo por el camino.
pull-no-room = No hay espacio suficiente en el servidor: se necesitan { $needed } y hay { $free } libres en { $folder }.
pull-full = El disco del servidor está lleno: se necesitan { $needed } más y hay { $free } libres en { $folder }. Se eliminó el archivo incompleto.
pull-disk = El servidor no puede leer o escribir { $path }. Comprueba los permisos.
pull-locked = Otro programa está descargando el mismo archivo en esta carpeta. Espera a que termine o detenlo.
pull-begun-by-ollama = Ollama empezó a descargar este modelo. Termina la descarga con “ollama pull”.
pull-vanished = Un archivo descargado desapareció: al iniciarse, Ollama elimina los archivos que no usa ningún modelo. Vuelve a intentarlo.
pull-part = { $file } no encaja con las otras partes del modelo.

## Documents

document-show = Mostrar { $name }
document-text = Texto
document-reading = Leyendo el documento
document-previous = Parte anterior
document-next = Parte siguiente
document-page = página { NUMBER($number) }
document-chapter = capítulo { NUMBER($number) }
document-line = línea { NUMBER($number) }
document-lines = líneas { NUMBER($first) } a { NUMBER($last) }
document-row = fila { NUMBER($number) }
document-rows = filas { NUMBER($first) } a { NUMBER($last) }
document-paragraph = párrafo { NUMBER($number) }
document-paragraphs = párrafos { NUMBER($first) } a { NUMBER($last) }
document-page-count = { $count ->
    [one] 1 página
    *[other] { $count } páginas
    }
document-chapter-count = { $count ->
    [one] 1 capítulo
    *[other] { $count } capítulos
    }
document-line-count = { $count ->
    [one] 1 línea
    *[other] { $count } líneas
    }
document-row-count = { $count ->
    [one] 1 fila
    *[other] { $count } filas
    }
document-paragraph-count = { $count ->
    [one] 1 párrafo
    *[other] { $count } párrafos
    }
about-tokens = { $size } · { $tokens ->
    [one] cerca de 1 token
    *[other] unos { $tokens } tokens
    }
cited-page = pág. { NUMBER($number) }
cited-chapter = cap. { NUMBER($number) }
cited-line = línea { NUMBER($number) }
cited-row = fila { NUMBER($number) }
cited-paragraph = párr. { NUMBER($number) }
citation-open = Abrir { $name }, { $place }
given-pages = El modelo recibió { NUMBER($given) } de { NUMBER($of) } páginas de { $name }.
given-chapters = El modelo recibió { NUMBER($given) } de { NUMBER($of) } capítulos de { $name }.
given-passages = El modelo recibió { NUMBER($given) } de { NUMBER($of) } pasajes de { $name }.
documents-choosing = Eligiendo lo que corresponde a la pregunta
attach-reading-share = Leyendo { $name }, { NUMBER($percent) } %
pasted-file = Texto pegado.txt
pasted-long = El texto largo se adjuntó como documento.
paste-as-text = Pegar como texto
document-some-scanned = { $pages ->
    [one] 1 página es una imagen y su texto no se puede leer.
    *[other] { $pages } páginas son imágenes y su texto no se puede leer.
    }
document-scanned = Este PDF no contiene texto, solo imágenes de páginas. Aplícale reconocimiento de texto o adjunta imágenes de las páginas.
document-blank = No hay texto en este archivo. Elige otro.
document-too-large = Demasiado grande: { $size }; el límite es { $limit }. Divídelo y adjunta la parte que necesitas.
document-expands = Leer este archivo requiere demasiada memoria. Guarda la parte que necesitas en un archivo aparte y adjúntalo.
document-too-many-pages = Demasiado largo: { NUMBER($pages) } páginas; el límite es { NUMBER($limit) }. Divídelo y adjunta la parte que necesitas.
document-encrypted = Este archivo necesita una contraseña. Guarda una copia sin contraseña y adjúntala.
document-unsupported = Solo se pueden adjuntar archivos de imagen, audio, video, texto, PDF, Word y EPUB. Guárdalo en uno de estos formatos y adjúntalo.
document-damaged = Este archivo está dañado. Vuelve a guardarlo con el programa que lo creó y adjúntalo.
document-missing = No se pudo cargar el lector de documentos. Comprueba tu conexión y vuelve a intentarlo.
document-crashed = No se pudo leer este archivo. Vuelve a guardarlo, o guárdalo como texto sin formato, y adjúntalo.
document-too-long = La lectura tardó demasiado, así que se detuvo. Guarda la parte que necesitas en un archivo aparte y adjúntalo.

## Presets and prompts

presets-title = Preajustes
presets-hint = Al elegir un preajuste, sus instrucciones y ajustes reemplazan los de esta conversación. Si lo cambias después, la conversación queda como está. Las instrucciones de una carpeta siempre van primero.
preset-word = Preajuste
preset-new = Nuevo preajuste
preset-of-this = Nuevo a partir de esta conversación
preset-leave = No usar preajuste
preset-choose = Elegir un preajuste
preset-of = Preajuste: { $name }
preset-taken = El preajuste “{ $name }” está en uso.
preset-left = No hay ningún preajuste en uso.
preset-icon = Icono
preset-model = Modelo
preset-adapter = Adaptador
preset-unchanged = No cambiar
preset-sampling = Muestreo propio
preset-sampling-hint = Si no, se aplican los valores predeterminados del modelo.
preset-no-model = { $name } no está en la lista de modelos, así que el modelo no cambia.
preset-no-adapter = El adaptador “{ $name }” no está disponible para este modelo, así que los adaptadores no cambian.
icon-chat = Globo de diálogo
icon-pencil = Lápiz
icon-code = Código
icon-document = Documento
icon-bulb = Bombilla
icon-magnifier = Lupa
icon-picture = Imagen
icon-chart = Gráfico
prompts-title = Prompts
prompts-hint = Escribe / en un mensaje vacío para insertar uno.
prompts-manage = Todos los prompts…
prompts-found = { $count ->
    [one] 1 prompt.
    *[other] { $count } prompts.
    }
prompt-word = Prompt
prompt-new = Nuevo prompt
prompt-text = Texto
prompt-hint = { $variable } representa algo que hay que completar.
prompt-fill = Completar el prompt
prompt-insert = Insertar
named-edit = Editar
named-deleted = Se eliminó “{ $name }”.
named-export-all = Exportar preajustes y prompts
named-file = gemtab-presets.json
named-imported = Preajustes importados: { NUMBER($presets) }; prompts: { NUMBER($prompts) }. Ya estaban aquí: { NUMBER($known) }.
presets-format = El archivo no contiene preajustes ni prompts de gemtab.
presets-too-many = El archivo tiene { NUMBER($count) } preajustes y prompts; el límite de importación es { NUMBER($most) }.
presets-text = El texto de “{ $name }” ocupa { $size }; el límite es { $most }.
presets-sampling = El preajuste “{ $name }” tiene un valor de muestreo fuera de los límites.
chip-temperature = Temperatura { $number }
chip-context = Contexto { NUMBER($tokens) }
chip-longest = Hasta { NUMBER($tokens) } tokens
