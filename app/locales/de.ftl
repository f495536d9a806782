# Deutsch. Sätze sagen „Sie“; Schaltflächen und Titel stehen im Infinitiv oder sind Substantive.

language-name = Deutsch
language-direction = ltr
number-group = .
number-decimal = ,

## Words of several places

brand = gemtab
reload = Neu laden
new-build = Es gibt eine neue Version von gemtab.

## The document, before the page lives

shell-description = Mit Gemma 4 chatten, in einem Browser-Tab und auf Ihrer Grafikkarte.
boot-slow = Wird noch geladen. Sie können schon schreiben.
boot-failed = Die Seite konnte nicht starten. Prüfen Sie Ihre Verbindung, und laden Sie neu.
boot-no-script = gemtab braucht JavaScript. Schalten Sie es ein, und laden Sie neu.
later-loading = Wird geladen …
later-missing = Dieser Teil der Seite konnte nicht geladen werden. Prüfen Sie Ihre Verbindung, und versuchen Sie es erneut. Es geht nichts verloren.

## Units and amounts

unit-b = { $number } B
unit-kb = { $number } kB
unit-mb = { $number } MB
unit-gb = { $number } GB
unit-tb = { $number } TB
unit-s = { $number } s
unit-min = { $number } min
unit-percent = { $number } %
unit-rate = { $number } Token/s
time-min-s = { $minutes } min { $seconds } s
time-h-min = { $hours } h { $minutes } min
amount-of = { $part } von { $whole }
two-sentences = { $first } { $second }
two-items = { $first }, { $second }

## Settings

settings-title = Einstellungen
settings-licenses = Lizenzen Dritter
settings-appearance = Darstellung und Tastatur
settings-theme = Farbschema
settings-theme-system = Systemeinstellung
settings-theme-light = Hell
settings-theme-dark = Dunkel
settings-language = Sprache
settings-language-browser = Browsersprache
settings-sending = Senden mit
settings-send-enter = Eingabetaste (Umschalt+Eingabetaste für eine neue Zeile)
settings-send-modified = Strg+Eingabetaste oder ⌘ Eingabetaste (Eingabetaste für eine neue Zeile)
settings-single-keys = Tastenkürzel mit einer Taste
settings-single-keys-hint = / springt ins Nachrichtenfeld, ? zeigt alle Tastenkürzel. Schalten Sie das aus, wenn Sie Spracheingabe verwenden.
settings-show-steps = Diffusionsschritte zeigen
settings-show-steps-hint = Zeigt, wie der Text entsteht, wenn ein Diffusionsmodell antwortet. Ausgeschaltet erscheint nur der fertige Text.
settings-drafts = Spekulatives Dekodieren
settings-drafts-hint = Macht die meisten Antworten schneller: Mehrere Token werden im Voraus erraten, vom Drafter des Modells oder aus Text, der sich wiederholt, und dann auf einmal geprüft. Pausiert, wo es nichts bringt.
settings-drafts-automatic = Wenn das Modell einen Drafter hat
settings-drafts-always = Immer
settings-drafts-never = Nie
settings-memory = Grafikspeicher
settings-memory-hint = Gilt ab dem nächsten Laden eines Modells.
settings-memory-amount = Speicher, den Modelle nutzen dürfen
settings-memory-amount-hint = Browser sagen nicht, wie viel es gibt. Wenn ein Modell mehr braucht, schaltet gemtab die Schalter darunter selbst ein.
settings-memory-automatic = Automatisch
settings-memory-automatic-of = Automatisch ({ $size })
settings-memory-loaded = { $model } ist noch mit den vorherigen Einstellungen geladen.
settings-cache-in-eight-bits = KV-Cache mit 8 Bit
settings-cache-in-eight-bits-hint = Unterhaltungen brauchen etwa halb so viel Speicher. Antworten können leicht abweichen.
settings-table-in-eight-bits = Embeddings je Schicht mit 8 Bit
settings-table-in-eight-bits-hint = Für Dateien von E2B und E4B mit 16-Bit-Embeddings, die mehr als die halbe Datei ausmachen. Sie brauchen dann etwa halb so viel Speicher, und Antworten ändern sich kaum.
settings-new = Neue Unterhaltungen
settings-new-hint = Sie können das für jede Unterhaltung ändern.
settings-instructions = Eigene Anweisungen
settings-none = Keine
settings-think = Vor dem Antworten nachdenken
settings-context = Kontextlänge
settings-context-hint = In Token. Längere Kontexte brauchen mehr Grafikspeicher.
settings-context-default = Standard
settings-sampling-model = Das Sampling folgt den Vorgaben des jeweiligen Modells.
settings-sampling-set = Für alle Modelle anpassen
settings-sampling = Sampling für alle Modelle
settings-sampling-reset = Auf Vorgaben der Modelle zurücksetzen
settings-voice = Stimme
settings-read-aloud = Antworten vorlesen
settings-read-aloud-hint = Jeden Satz, sobald er geschrieben ist. Gedanken, Code, Tabellen und Formeln werden ausgelassen.
settings-voice-choice = Stimme
settings-voice-automatic = Standard für die Sprache des Textes
settings-voice-remote = { $count ->
    [one] 1 Stimme, die den Text an ihren Hersteller sendet, fehlt
    *[other] { $count } Stimmen, die den Text an ihren Hersteller senden, fehlen
    } in der Liste.
settings-voice-none = Dieses Gerät hat keine eigene Stimme.
settings-rate = Geschwindigkeit
settings-storage = In diesem Browser gespeichert
settings-keep = Modelle speichern
settings-keep-hint = Legt von jedem Modell, das vom Server geladen wird, eine Kopie in diesem Browser ab. Beim nächsten Mal ist kein Download nötig.
settings-caches = Gelesenes speichern
settings-caches-hint = Behält den KV-Cache der letzten vier Unterhaltungen in diesem Browser. Modelle müssen eine Unterhaltung dann nicht noch einmal lesen, wenn Sie sie wieder öffnen. Temporäre Unterhaltungen werden nie gespeichert.
settings-caches-kept = { $count ->
    [one] KV-Cache von 1 Unterhaltung: { $size }
    *[other] KV-Caches von { $count } Unterhaltungen: { $size }
    }
settings-caches-none = Noch kein KV-Cache gespeichert.
settings-caches-delete = KV-Caches löschen
settings-conversations = { $count ->
    [one] 1 Unterhaltung
    *[other] { $count } Unterhaltungen
    } in diesem Browser.

## Words of several places, continued

close = Schließen
save = Speichern
cancel = Abbrechen
delete = Löschen
undo = Rückgängig
not-now = Jetzt nicht
try-again = Erneut versuchen
untitled = Ohne Titel
choose-model = Modell auswählen
other-model = Anderes Modell auswählen
use-memory = { $size } Arbeitsspeicher verwenden
media-gone = nicht mehr in diesem Browser
save-raw = Rohdaten speichern
export-file = gemtab-unterhaltungen.json

## Places

place-new = Neue Unterhaltung
place-conversation = Unterhaltung
place-models = Modelle
place-tune = Fine-Tuning
place-settings = Einstellungen
place-diagnostics = Diagnose
place-unknown = Seite nicht gefunden
age-today = Heute
age-yesterday = Gestern
age-week = Letzte 7 Tage
age-earlier = Früher
not-found = Unter dieser Adresse gibt es nichts.
page-title = { $page } · gemtab

## The frame around every page

frame-drop-examples = Beispiele hier ablegen, zusammen mit ihren Bildern und Audiodateien
frame-drop = Dateien oder ein Modell hier ablegen
frame-skip = Zum Inhalt springen
frame-test-mode = Testmodus
frame-simulated = Simulierte Engine
frame-drop-elsewhere = Dateien lassen sich nur an eine Unterhaltung anhängen. Öffnen Sie eine, und legen Sie sie dort ab.
model-replaced = Ein anderer Tab hat { $name } geladen.
model-ready = { $name } ist bereit.
model-not-loaded = { $name } konnte nicht geladen werden. { $reason }
search-found = { $count ->
    [0] Keine Unterhaltungen gefunden.
    [one] 1 Unterhaltung gefunden.
    *[other] { $count } Unterhaltungen gefunden.
    }

## The graphics device, and how to get it

advice-origin = Browser erlauben WebGPU nur auf sicheren Adressen. { $origin } ist keine.
advice-local = Öffnen Sie `{ $address }` auf dem Computer, auf dem der Server läuft.
advice-https = Für andere Computer: Stellen Sie die Seite über HTTPS bereit, oder leiten Sie den Port mit SSH weiter.
advice-in = In { $browser }:
advice-title = Grafikbeschleunigung einschalten
device-none = Keine Grafikkarte
device-no-webgpu = WebGPU ist nicht verfügbar, daher laufen hier keine Modelle.
device-nothing-lost = Ihre Unterhaltungen können Sie aber lesen.
device-slow = Es wird keine Grafikkarte verwendet
device-software = Es wird keine Grafikkarte verwendet.
device-software-named = Es wird keine Grafikkarte verwendet ({ $name }).
device-software-hint = Die Demo läuft langsam. Größere Modelle sind zu langsam.
device-how = So verwenden Sie die Grafikkarte
too-slow = { $name } ist { $size } groß. Ohne Grafikkarte kann jedes Wort einer Antwort Minuten dauern.
too-slow-title = Es wird keine Grafikkarte verwendet
unlikely-title = Dieses Modell passt wahrscheinlich nicht
unlikely = { $name } braucht etwa { $missing } mehr Grafikspeicher, als dieses Gerät zu haben scheint. Das Laden kann fehlschlagen.
too-slow-load = Trotzdem laden
failure-title = Etwas ist schiefgelaufen
use-context = Kontext von { NUMBER($tokens) } Token verwenden
reload-page = Seite neu laden
webgpu-how = So wird es eingeschaltet
see-saved = Gespeicherte Modelle anzeigen
field-range = Muss zwischen { $min } und { $max } liegen.
sampling-temperature = Temperatur
sampling-temperature-hint = 0 wählt immer das wahrscheinlichste Token.
sampling-top-k = Top-k
sampling-top-k-hint = Nur so viele Token berücksichtigen; 0 für alle.
sampling-top-p = Top-p
sampling-min-p = Min-p
sampling-repeat = Wiederholungsstrafe
sampling-repeat-hint = 1 schaltet sie aus.
sampling-presence = Präsenzstrafe
sampling-frequency = Häufigkeitsstrafe
sampling-seed = Startwert
sampling-seed-hint = Gleicher Startwert, gleiche Antwort.
sampling-seed-random = Zufällig
load-starting = Startet
load-engine = Die Engine wird gestartet …
load-title = Modell wird geladen
load-of = { $name } wird geladen
memory-words = { $name } kommt nicht ganz in den Grafikspeicher. Zusätzlich werden { $size } Arbeitsspeicher belegt, bis der Tab geschlossen oder ein anderes Modell geladen wird, und Antworten kommen langsamer.
memory-title = Dieses Modell braucht mehr Speicher
model-needs-webgpu = Braucht WebGPU
model-out-of-reach = Nicht in diesem Browser gespeichert
model-demo = Demo
model-file = Datei
model-diffusion = Diffusion
model-diffusion-about = Schreibt einen ganzen Textblock auf einmal und verfeinert ihn in Schritten.
model-continues = Setzt Text fort
model-continues-about = Nicht auf Chats trainiert: Es setzt den Text fort, den Sie schreiben.
model-demo-about = Eingebaute Demo: ein winziges Modell zum Ausprobieren, für einfache Rechnungen, Listen und Fakten.
model-loaded = Geladen
model-load = Laden
model-recommended = Empfohlen
models-looking = Modelle werden gesucht …
models-offline = Der Server ist nicht erreichbar. In diesem Browser gespeicherte Modelle funktionieren weiterhin.
models-none = Der Server hat keine Modelle gefunden. Gesucht wurde in:
models-pull = Laden Sie mit { $command } eines herunter, oder öffnen Sie eine eigene .gguf-Datei.
models-get = Laden Sie auf der Seite „Modelle“ unter „Modell herunterladen“ eines herunter, oder öffnen Sie eine eigene .gguf-Datei.
palette-title = Suche und Befehle
palette-placeholder = Unterhaltungen, Modelle, Seiten und Befehle suchen …
palette-results = Ergebnisse
palette-none = Keine Treffer
palette-action = Befehl
palette-drawer = Einstellungen der Unterhaltung
drawer-changed = Einstellungen der Unterhaltung (geändert)
palette-stop = Antwort anhalten
palette-think = Vor dem Antworten nachdenken
palette-think-off = Ohne Nachdenken antworten
palette-export-json = Diese Unterhaltung als JSON exportieren
palette-export-markdown = Diese Unterhaltung als Markdown exportieren
palette-export-html = Diese Unterhaltung als HTML exportieren
palette-print = Diese Unterhaltung drucken oder als PDF speichern
palette-duplicate = Diese Unterhaltung duplizieren
shortcuts-title = Tastenkürzel
palette-import = Unterhaltungen importieren
palette-light = Helles Farbschema
palette-dark = Dunkles Farbschema
palette-system = Farbschema des Systems
palette-place = Seite
palette-model = Modell
open-file = Datei öffnen …
model-files = Modelldateien
picked-title = Zuletzt geöffnet
picked-files = { $count ->
    [one] 1 Datei
    *[other] { $count } Dateien
    } · { $size }
picked-open = Öffnen
picked-open-of = Öffnen: { $name }
picked-open-anyway = Trotzdem öffnen
picked-open-anyway-of = Trotzdem öffnen: { $name }
picked-forget = Aus der Liste entfernen
picked-forget-of = Aus der Liste entfernen: { $name }
picked-forgotten = { $name } ist nicht mehr in der Liste. Die Datei bleibt, wo sie ist.
picked-not-allowed = Der Browser braucht die Erlaubnis, { $name } zu lesen. Öffnen Sie die Datei erneut, und bestätigen Sie die Nachfrage.
picked-gone = { $name } ist nicht mehr da: verschoben, umbenannt oder gelöscht. Wählen Sie die Datei mit „Datei öffnen …“ aus.
picked-changed = { $name } hat sich seit dem letzten Öffnen geändert.
picked-unreadable = Der Browser kann { $name } nicht lesen. Wählen Sie die Datei mit „Datei öffnen …“ aus.
picture-show = { $name } anzeigen

## The rail of conversations

rail-title = Unterhaltungen und Seiten
rail-new = Neu
rail-fold = Seitenleiste ausblenden
rail-width = Breite der Seitenleiste
rail-steps = { NUMBER($step) }/{ NUMBER($steps) }
rail-conversations = Unterhaltungen
rail-places = Seiten
rail-private = Was Sie schreiben, bleibt in diesem Browser.
rail-private-but-tools = Was Sie schreiben, bleibt in diesem Browser, bis auf das, was Sie Werkzeuge senden lassen.
rail-search = Suchen
rail-search-label = Unterhaltungen durchsuchen
rail-all = Unterhaltungen ordnen
rail-export-all = Alle exportieren
rail-import = Importieren …
import-too-large = Diese Datei ist { $size } groß, importieren lassen sich höchstens { $most }.
import-failed = Es wurde nichts importiert. { $reason }
import-empty = Die Datei enthält keine Unterhaltungen.
import-known = { $count ->
    [one] Diese Unterhaltung ist schon da.
    *[other] Alle { $count } Unterhaltungen sind schon da.
    } Es wurde nichts importiert.
import-added = { $count ->
    [one] 1 Unterhaltung importiert.
    *[other] { $count } Unterhaltungen importiert.
    }
import-merged = { $count ->
    [one] 1 Unterhaltung aktualisiert.
    *[other] { $count } Unterhaltungen aktualisiert.
    }
import-already = { NUMBER($count) } schon da.
rail-nothing-found = Keine Treffer
rail-empty = Hier erscheinen Ihre Unterhaltungen. Sie bleiben in diesem Browser.
rail-unreadable = Nicht lesbar
rail-actions = Aktionen für { $title }
rail-answering = antwortet gerade
rail-rename = Umbenennen
rail-duplicate = Duplizieren
rail-export-json = Als JSON exportieren
rail-export-markdown = Als Markdown exportieren
rail-export-html = Als HTML exportieren
rail-print = Drucken oder als PDF speichern
rail-new-title = Neuer Titel
export-unreadable = { $count ->
    [one] 1 Unterhaltung ist nicht lesbar und fehlt in der Datei.
    *[other] { $count } Unterhaltungen sind nicht lesbar und fehlen in der Datei.
    }
export-failed = Der Export ist fehlgeschlagen. { $reason }

## Ordnung: Ordner, angeheftet, Archiv, mehrere auswählen

rail-pinned = Angeheftet
rail-archived = Archiviert
rail-count = { NUMBER($count) }
rail-more = Mehr anzeigen
rail-pin = Anheften
rail-unpin = Nicht mehr anheften
rail-archive = Archivieren
rail-unarchive = Aus dem Archiv holen
rail-move = In Ordner verschieben…
rail-select = Auswählen
rail-select-several = Mehrere auswählen
rail-new-folder = Neuer Ordner…
rail-new-temporary = Neue temporäre Unterhaltung
archived = { $count ->
    [one] Unterhaltung archiviert.
    *[other] { $count } Unterhaltungen archiviert.
    }
select-title = Ausgewählte Unterhaltungen
select-one = { $title } auswählen
selected = { $count ->
    [one] 1 ausgewählt
    *[other] { $count } ausgewählt
    }
select-all = Alle auswählen
select-end = Auswahl beenden
select-export-file = gemtab-auswahl.json
folder-title = Ordner
folder-new = Neuer Ordner
folder-name = Name
folder-instructions = Anweisungen für diesen Ordner
folder-instructions-hint = Werden mit jeder Nachricht jeder Unterhaltung in diesem Ordner mitgesendet, vor den Anweisungen der Unterhaltung selbst.
folder-create = Anlegen
folder-actions = Aktionen für den Ordner { $name }
folder-begin = Neue Unterhaltung hier
folder-edit = Name und Anweisungen
folder-delete = Ordner löschen
folder-deleted = Ordner gelöscht. Seine Unterhaltungen sind noch da.
folder-empty = Ziehen Sie Unterhaltungen hierher, oder wählen Sie in deren Menü „In Ordner verschieben“.
folder-here = Im Ordner { $name }
folder-instructs = Ordner { $name } ergänzt Anweisungen
folder-adds = Der Ordner „{ $name }“ ergänzt diese Anweisungen:
move-title = In Ordner verschieben
move-none = Kein Ordner
move-new = Neuer Ordner
move-create = Anlegen und verschieben
moved = { $count ->
    [one] In { $name } verschoben.
    *[other] { $count } Unterhaltungen in { $name } verschoben.
    }
moved-out = { $count ->
    [one] Aus dem Ordner genommen.
    *[other] { $count } Unterhaltungen aus ihren Ordnern genommen.
    }
delete-all = Alles löschen…
delete-all-title = Alle Unterhaltungen löschen?
delete-all-words = { $count ->
    [one] Ihre einzige Unterhaltung wird aus diesem Browser gelöscht, mit Anhängen und Entwürfen und mit allen Ordnern, Presets und Prompts.
    *[other] Alle { $count } Unterhaltungen werden aus diesem Browser gelöscht, auch archivierte, mit Anhängen und Entwürfen und mit allen Ordnern, Presets und Prompts.
    } Modelle, Adapter und Einstellungen bleiben. Das lässt sich nicht rückgängig machen.
delete-all-confirm = Alles löschen
everything-deleted = Alle Unterhaltungen wurden gelöscht.
temporary-title = Temporäre Unterhaltung
temporary-words = Nichts davon wird gespeichert, und andere Tabs sehen sie nicht. Sie ist weg, sobald Sie eine andere beginnen oder diesen Tab schließen oder neu laden.
temporary-short = Temporär: wird nicht gespeichert
settings-titles = Titel vom Modell
settings-titles-hint = Wenn eine Antwort fertig ist und das Modell nichts zu tun hat, schreibt es einen kurzen Titel für eine neue Unterhaltung. Einen Titel von Ihnen ersetzt es nie.
title-prompt = Schreibe einen Titel aus höchstens sechs Wörtern für diese Unterhaltung, in ihrer Sprache. Antworte nur mit dem Titel, ohne Anführungszeichen.

## Was ein Import ausgelassen hat

skipped-attachment = { $count ->
    [one] 1 Anhang wurde ausgelassen: Die Datei nennt ihn nur.
    *[other] { $count } Anhänge wurden ausgelassen: Die Datei nennt sie nur.
    }
skipped-tool = { $count ->
    [one] 1 Werkzeugnachricht wurde ausgelassen.
    *[other] { $count } Werkzeugnachrichten wurden ausgelassen.
    }
skipped-hidden = { $count ->
    [one] 1 verborgene Anweisung wurde ausgelassen.
    *[other] { $count } verborgene Anweisungen wurden ausgelassen.
    }
skipped-empty = { $count ->
    [one] 1 leere Nachricht wurde ausgelassen.
    *[other] { $count } leere Nachrichten wurden ausgelassen.
    }
skipped-broken = { $count ->
    [one] 1 unlesbare Nachricht wurde ausgelassen.
    *[other] { $count } unlesbare Nachrichten wurden ausgelassen.
    }
skipped-empty-conversation = { $count ->
    [one] 1 Unterhaltung ohne Nachrichten wurde ausgelassen.
    *[other] { $count } Unterhaltungen ohne Nachrichten wurden ausgelassen.
    }
skipped-unknown = { $count ->
    [one] 1 Eintrag unbekannter Art wurde ausgelassen.
    *[other] { $count } Einträge unbekannter Art wurden ausgelassen.
    }

## Search within a conversation

find-title = In dieser Unterhaltung suchen
find-place = { NUMBER($at) } von { NUMBER($count) }
find-previous = Voriger Treffer
find-next = Nächster Treffer
find-close = Suche schließen

count-thousand = { $number } Tsd.
count-million = { $number } Mio.
count-billion = { $number } Mrd.

## What is said at the edge of the page

notices = Benachrichtigungen

## Keyboard shortcuts

shortcuts-palette = Suche und Befehle
shortcuts-rail = Seitenleiste ein- oder ausblenden
shortcuts-send = Nachricht senden
shortcuts-line = Neue Zeile
shortcuts-edit = Letzte Nachricht bearbeiten (leeres Feld)
shortcuts-stop = Antwort anhalten oder Geöffnetes schließen
shortcuts-tab = Nächstes Bedienelement
shortcuts-field = Zum Nachrichtenfeld
shortcuts-list = Diese Liste anzeigen
shortcuts-hint = Auf dem Mac ⌘ statt Strg. Kürzel mit einer Taste lassen sich in den Einstellungen ausschalten.
key-enter = Eingabe
key-shift = Umschalt
key-ctrl = Strg
key-esc = Esc
key-tab = Tab

## Sound

sound-pause = { $name } pausieren
sound-play = { $name } abspielen
sound-position = Position in { $name }

## The conversation

absent-title = Diese Unterhaltung ist nicht in diesem Browser
absent-words = Unterhaltungen bleiben in dem Browser, in dem sie begonnen wurden. Diese wurde vielleicht gelöscht oder in einem anderen Browser begonnen.
unreadable-title = Diese Unterhaltung ist nicht lesbar
unreadable-words = Die Daten dieser Unterhaltung sind noch in diesem Browser. Sie können sie vor dem Löschen in einer Datei sichern.
unloaded-title = Diese Unterhaltung konnte nicht geladen werden
adapters-several = { NUMBER($count) } Adapter
adapter = Adapter
adapter-opening = Adapter wird geöffnet …
adapter-none = Kein Adapter
adapter-files = Adapterdateien
adapters = Adapter
adapters-hint = Adapter (LoRA) passen an, wie das Modell antwortet. Sie bleiben auf diesem Gerät und gelten ab der nächsten Antwort.
adapter-reading = Wird gelesen …
adapter-open = Adapter öffnen …
adapter-compare = Mit und ohne vergleichen
adapter-load-first = Laden Sie zuerst ein Modell. Ein Adapter funktioniert nur mit dem Modell, für das er gemacht wurde.
adapter-facts = Rang { NUMBER($rank) } · { $layers ->
    [one] 1 Schicht
    *[other] { $layers } Schichten
    } · { NUMBER($parameters) } Parameter
adapter-scale = Stärke von { $name }
remove = { $name } entfernen
adapter-on = An
attach = Dateien anhängen
attach-files = Dateien
camera = Foto aufnehmen
record = Audio aufnehmen
record-allow = Erlauben Sie das Mikrofon, wenn der Browser fragt.
record-paused = Pausiert
recording = Aufnahme
record-level = Eingangspegel
record-resume = Aufnahme fortsetzen
record-pause = Aufnahme pausieren
record-discard = Aufnahme verwerfen
record-done = Fertig
record-stop = Aufnahme beenden
dictate = Diktieren
dictate-stop = Diktat beenden
dictating = Hört zu …
dictate-writing = Schreibt …
talk = Gespräch
talk-listening = Hört zu. Sprechen Sie, wann Sie möchten.
talk-hearing = Hört Ihnen zu …
talk-thinking = Denkt nach …
talk-interrupt = Unterbrechen
talk-end = Beenden
talk-hint = Was Sie sagen, wird bei einer Pause gesendet. Sprechen Sie während einer Antwort, um sie zu unterbrechen.
read-aloud = Vorlesen
read-stop = Vorlesen beenden
read-pause = Vorlesen pausieren
read-resume = Weiter vorlesen
reading-aloud = Liest vor
spoken-table = Tabelle.
spoken-formula = Formel
voice-none = Dieses Gerät hat keine Stimme für die Sprache dieses Textes. Fügen Sie in den Systemeinstellungen eine hinzu.
voice-failed = Das Vorlesen wurde beendet, weil die Stimme ausfiel.
transcribe-prompt = Schreibe wörtlich auf, was in dieser Aufnahme gesagt wird, in der gesprochenen Sprache. Schreibe sonst nichts.
write-down = { $name } transkribieren
transcript-title = Transkript
transcript-progress = { $done } von { $length }
transcript-none = Keine Sprache gefunden.
transcript-done = Das Transkript ist fertig.
transcript-download = Als { $format } herunterladen
camera-file = Kamera.png
camera-nothing = Die Kamera hat noch kein Bild geliefert. Schließen Sie dies, und versuchen Sie es erneut.
camera-view = Kameravorschau
camera-take = Foto aufnehmen
attachments = Anhänge
frames-of = Einzelbilder von { $name }
not-attached = Nicht angehängt
attached-here = An Ihre Nachricht angehängt
attached-over = Zu lang: { $tokens ->
    [one] 1 Token
    *[other] { $tokens } Token
    }, aber die Grenze ist { NUMBER($context) }. Entfernen Sie Anhänge, oder laden Sie das Modell mit längerem Kontext.
attached-tokens = { $tokens ->
    [one] 1 Token
    *[other] { $tokens } Token
    } zusammen.
tokens = { $count ->
    [one] 1 Token
    *[other] { $count } Token
    }
frames-and-sound = { $count ->
    [one] 1 Bild
    *[other] { $count } Bilder
    } mit Ton
frames-no-sound = { $count ->
    [one] 1 Bild
    *[other] { $count } Bilder
    } ohne Ton
attachment-stopped = Die Engine ist beim Lesen abgestürzt, daher wurde es nicht erneut versucht.
attachment-again = Erneut versuchen
notice-first-frame = Animiert: Nur das erste Bild wird verwendet.
notice-clips = Länger als 30 s: in { NUMBER($clips) } Abschnitte geteilt.
notice-silent = Kein Ton erkannt.
notice-budget = Diese Grafikkarte hat Platz für höchstens { NUMBER($tokens) } Token je Bild, daher sieht das Modell weniger Details.
detail-auto = Automatisch
detail-up-to = bis { NUMBER($tokens) }
detail = Details
detail-of = Details von { $name }, in Token
detail-hint = Mehr Token erfassen feinere Details wie kleine Schrift, dauern aber länger.
compare-title = Mit und ohne Adapter
compare-waiting = Warten …
compare-with = Mit
compare-without = Ohne
compare-hint = Beide Antworten haben denselben Startwert. Die Unterhaltung ändert sich nicht.
compare-needs-question = Senden Sie zuerst eine Nachricht, dann lassen sich die Antworten vergleichen.
message-to = Nachricht an { $name }
message = Nachricht
composer-recording = Beenden Sie die Aufnahme, um zu senden.
composer-dictating = Beenden Sie das Diktat, um zu senden.
composer-queued = Eine Nachricht wartet schon.
composer-no-model = Wählen Sie vor dem Senden ein Modell aus.
composer-enter = Enter: senden · Umschalt+Enter: neue Zeile
composer-modified = Strg+Enter oder ⌘ Enter: senden
composer-title = Nachricht schreiben
composer-instructions = Anweisungen
think-hint = Das Modell vor dem Antworten nachdenken lassen
think = Nachdenken
composer-file = Wird gesendet, sobald die Datei bereit ist.
composer-answering = Wird nach dieser Antwort gesendet.
composer-training = Das Fine-Tuning ist bei Schritt { NUMBER($step) } von { NUMBER($steps) }. Solange das Modell antwortet, pausiert das Training.
composer-tokens = { NUMBER($tokens) } von { NUMBER($context) } Token
composer-too-long = Zu lang: { NUMBER($tokens) } Token, die Grenze ist { NUMBER($context) }. Kürzen Sie die Nachricht, oder laden Sie das Modell mit längerem Kontext.
room-question = Die Unterhaltung ist zu lang geworden. Was soll mit den ältesten Nachrichten geschehen?
room-leave-out = Weglassen
room-summarize = Zusammenfassen
room-will-leave-out = Die ältesten Nachrichten werden weggelassen.
room-will-summarize = Die ältesten Nachrichten werden zusammengefasst.
room-summarizing = Die ältesten Nachrichten werden zusammengefasst
room-left-out = Älteste Nachrichten weggelassen.
room-summarized = Älteste Nachrichten zusammengefasst.
room-failed = Das Zusammenfassen ist misslungen, daher wurden die ältesten Nachrichten weggelassen.
room-prompt = Fasse diese Unterhaltung in ihrer Sprache mit höchstens { NUMBER($words) } Wörtern zusammen: Tatsachen, Namen, Zahlen, Entscheidungen, offene Fragen. Antworte nur mit der Zusammenfassung.
reading-start = Das Modell sieht die Nachrichten darüber nicht mehr.
reading-summary = Zusammenfassung der Nachrichten darüber
reading-whole = Alle Nachrichten einbeziehen
reading-whole-again = Alle Nachrichten werden wieder einbezogen.
send = Senden
stop = Anhalten
stop-esc = Anhalten (Esc)
drawer-title = Diese Unterhaltung
drawer-instructions-hint = Werden mit jeder Nachricht dieser Unterhaltung mitgesendet.
drawer-loaded = Das Modell ist mit einem Kontext von { NUMBER($tokens) } Token geladen.
drawer-reload = Mit { NUMBER($tokens) } Token neu laden
drawer-answers = Antworten
drawer-think-hint = Langsamer, aber besser bei schwierigen Fragen. Die Überlegungen erscheinen zugeklappt.
drawer-longest = Maximale Antwortlänge
drawer-longest-hint = In Token, einschließlich Überlegungen.
drawer-thought = Maximale Länge der Überlegungen
drawer-thought-hint = Danach beginnt die Antwort.
thought-short = Kurz ({ NUMBER($tokens) } Token)
thought-medium = Mittel ({ NUMBER($tokens) } Token)
thought-long = Lang ({ NUMBER($tokens) } Token)
thought-other = Andere …
thought-tokens = Länge der Überlegungen in Token
drawer-no-limit = Unbegrenzt
drawer-stop = Stoppsequenzen
drawer-stop-none = Keine
drawer-stop-hint = Eine pro Zeile.
drawer-sampling = Sampling
tools-title = Werkzeuge
tool-calculator = Rechner
tool-calculator-hint = Rechnet genau, auch mit Dezimalzahlen.
tool-clock = Datum und Uhrzeit
tool-clock-hint = Das Modell kann die Uhr Ihres Geräts lesen.
tool-search = Suche in Unterhaltungen
tool-search-hint = Das Modell kann Auszüge Ihrer anderen Unterhaltungen finden.
tool-javascript = JavaScript
tool-javascript-hint = Das Modell kann mit selbst geschriebenem Code rechnen und Diagramme zeichnen. Der Code erreicht weder Ihre Daten noch das Internet und endet nach 10 Sekunden.
format-title = Antwortformat
format-text = Text
format-json = JSON
format-schema = JSON-Schema
schema-fine = Antworten werden diesem Schema entsprechen.
calls-title = Verwendete Werkzeuge
call-waits = Nicht ausgeführt
call-runs = Wird ausgeführt
call-done = Fertig
call-failed = Fehlgeschlagen
call-result = Ergebnis
call-run = Ausführen und fortsetzen
tool-error-unknown-tool = Das Modell hat ein Werkzeug verwendet, das nicht eingeschaltet ist.
tool-error-syntax = Dieser Ausdruck ist ungültig.
tool-error-division-by-zero = Durch null kann nicht geteilt werden.
tool-error-too-large = Der Ausdruck oder eine Zahl darin ist zu lang.
tool-error-undefined = Das Ergebnis ist nicht definiert.
tool-error-units = Diese Einheiten passen nicht zusammen.
tool-error-no-words = Es gibt keine Wörter, nach denen gesucht werden kann.
tool-error-no-sandbox = Der Code konnte nicht ausgeführt werden. Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.
tool-error-time-limit = Der Code lief länger als 10 Sekunden und wurde beendet.
tool-error-output-limit = Der Code hat zu viel ausgegeben und wurde beendet.
tool-error-thrown = Der Code ist fehlgeschlagen: „{ $message }“.
tool-error-chart = Die Daten des Diagramms sind ungültig.
mcp-title = MCP-Server
mcp-hint = Fügen Sie Server hinzu, deren Werkzeuge das Modell verwenden kann. Vor einem Aufruf sehen Sie, was gesendet wird, und entscheiden. Nur das verlässt dieses Gerät.
mcp-add = Server hinzufügen
mcp-address = Adresse
mcp-name = Bezeichnung (optional)
mcp-token = Zugriffstoken (optional)
mcp-token-hint = Es wird unverschlüsselt in diesem Browser gespeichert und nur an diesen Server gesendet.
mcp-twice = Dieser Server wurde bereits hinzugefügt.
mcp-asking = Verbindung wird hergestellt …
mcp-connected = Verbunden.
mcp-refresh = Aktualisieren
mcp-refresh-of = { $name } aktualisieren
mcp-remove = Entfernen
mcp-remove-of = { $name } entfernen
mcp-tools = { $count ->
    [one] 1 Werkzeug
    *[other] { $count } Werkzeuge
    }
mcp-tools-hint = Die Beschreibungen stammen vom Server. Werkzeuge, die er später hinzufügt, sind zunächst aus.
mcp-refused-keyword = „{ $tool }“ kann nicht verwendet werden: Seine Parameter verlangen etwas, das nicht garantiert werden kann: „{ $keyword }“.
mcp-refused-schema = „{ $tool }“ kann nicht verwendet werden: Seine Parameter sind ungültig oder zu lang.
mcp-allowed = Alle Aufrufe sind erlaubt.
mcp-ask-again = Wieder fragen
mcp-ask-again-of = Vor Aufrufen von { $tool } wieder fragen
mcp-offered = { $count ->
    [one] 1 Werkzeug
    *[other] { $count } Werkzeuge
    } von { $host }
mcp-tool-of = { $tool } ({ $server })
call-asks = Wartet auf Sie
consent-title = Diesen Aufruf erlauben?
consent-who = Das Werkzeug „{ $tool }“ von { $server } ({ $host }) würde die obigen Werte erhalten und sonst nichts.
consent-changed = Seine Beschreibung hat sich geändert, seit Sie es erlaubt haben.
consent-description = Was der Server über dieses Werkzeug sagt
consent-once = Einmal erlauben
consent-conversation = In dieser Unterhaltung erlauben
consent-always = Immer erlauben
consent-nothing = Nicht erlauben
result-untrusted = { $server } hat Folgendes zurückgegeben. Es kann falsch oder irreführend sein.
tool-error-mcp-offline = Der Server von gemtab ist nicht erreichbar. Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.
tool-error-mcp-address = Diese Adresse kann nicht verwendet werden. Sie beginnt mit https://.
tool-error-mcp-plain-http = { $host } kann nur über https:// verwendet werden.
tool-error-mcp-not-relayed = Der Server von gemtab leitet keine Anfragen an { $host } weiter. Um es zu erlauben, starten Sie ihn mit „--allow-mcp { $host }“.
tool-error-mcp-private = { $host } liegt in einem privaten Netz. Um es zu erlauben, starten Sie den Server von gemtab mit „--allow-mcp private:{ $host }“.
tool-error-mcp-unreachable = { $host } ist nicht erreichbar, oder die Verbindung ist abgebrochen. Versuchen Sie es erneut.
tool-error-mcp-late = { $host } hat zu lange nicht geantwortet. Versuchen Sie es erneut.
tool-error-mcp-busy = Es laufen zu viele Anfragen. Versuchen Sie es erneut.
tool-error-mcp-too-long = Die Werte sind zu lang, um gesendet zu werden.
tool-error-mcp-too-much = Die Antwort des Servers ist zu lang.
tool-error-mcp-redirected = Der Server leitet an eine andere Adresse um. Fügen Sie stattdessen diese hinzu.
tool-error-mcp-unauthorized = Der Server verlangt ein Zugriffstoken oder akzeptiert dieses nicht.
tool-error-mcp-status = Der Server hat mit dem Status { $status } geantwortet.
tool-error-mcp-not-protocol = Unter dieser Adresse antwortet kein MCP-Server.
tool-error-mcp-no-version = Der Server verwendet eine Version von MCP, die nicht unterstützt wird.
tool-error-mcp-needs-input = Das Werkzeug verlangt weitere Eingaben. Das wird nicht unterstützt.
tool-error-mcp-refused = Der Server hat abgelehnt: „{ $message }“.
tool-error-mcp-not-allowed = Sie haben diesen Aufruf nicht erlaubt.
chart-shown-bar = Balkendiagramm: { $title }
chart-shown-line = Liniendiagramm: { $title }
chart-shown-pie = Kreisdiagramm: { $title }
chart-shown-scatter = Streudiagramm: { $title }
chart-untitled = Ohne Titel
chart-part = { $name }: { $amount } ({ $percent })
chart-data = Daten anzeigen
drawer-sampling-model = Es gelten die Vorgaben des Modells.
drawer-sampling-diffusion = Dieses Diffusionsmodell hat ein eigenes Sampling. Nur der Seed wirkt sich aus.
drawer-sampling-reset = Auf Vorgaben des Modells zurücksetzen
figure-first = Zeit bis zum ersten Token
figure-writing = Geschwindigkeit
figure-drafts = Angenommene Vorschläge
figure-experts = Experten im Grafikspeicher gefunden
figure-expert-bytes = Nachgeladene Experten je Token
figure-expert-bytes-step = Nachgeladene Experten je Schritt
figure-steps = Entrauschen
figure-steps-of = { $blocks ->
    [one] { $steps } Schritte, 1 Block
    *[other] { $steps } Schritte pro Block, { $blocks } Blöcke
}
figure-answer = Antwort
figure-prompt = Prompt
figure-cached = Aus dem Cache
figure-reading = Prompt-Geschwindigkeit
figure-context = Kontext belegt
figures-title = Letzte Antwort
figures-none = Statistiken erscheinen nach der ersten Antwort.
log-messages = Nachrichten
log-latest = Nach unten
answer-of = Antwort von { $name }
you = Sie
message-actions = Aktionen dieser Nachricht
show-more = Mehr anzeigen
show-less = Weniger anzeigen
show-all = Alles anzeigen
edit-resend = Bearbeiten und neu senden
delete-after = Ab hier löschen
edit-label = Nachricht bearbeiten
edit-hint = Das Original bleibt; mit ‹ › geht es zurück.
edit-discarded = Änderung verworfen.
reading-tokens = Lesen, { NUMBER($read) } von { NUMBER($total) } Token
reading = Lesen
edited = bearbeitet
regenerate = Neu generieren
continue-answer = Fortsetzen
edit-answer = Antwort bearbeiten
pin-message = Im Kontext behalten
branch-off = Neue Unterhaltung ab hier
conversation-copied = Sie sind jetzt in der Kopie. Das Original bleibt unverändert.
cut-off = Diese Antwort wurde abgebrochen.
finish-stopped = Angehalten.
finish-limit = Maximale Antwortlänge erreicht.
finish-full = Angehalten, weil der Kontext voll ist. Beginnen Sie eine neue Unterhaltung, oder wählen Sie einen längeren Kontext.
elsewhere = Wird in einem anderen Tab geschrieben …
closed-early = Beim Schließen der Seite unterbrochen.
copy-refused = Der Browser hat das Kopieren nicht erlaubt. Markieren Sie den Text, und kopieren Sie ihn selbst.
copied = Kopiert.
copy = Kopieren
version-previous = Vorige Version
version-next = Nächste Version
figures = { NUMBER($tokens) } Token, das erste nach { $first }; Prompt mit { NUMBER($prompt) } Token, { NUMBER($cached) } aus dem Cache
figures-steps = { $steps ->
    [one] 1 Schritt
    *[other] { $steps } Schritte
}
figures-diffusion = { NUMBER($tokens) } Token in { $blocks ->
    [one] 1 Block
    *[other] { NUMBER($blocks) } Blöcken
} und { $steps ->
    [one] 1 Schritt
    *[other] { NUMBER($steps) } Schritten
}, der erste Block nach { $first }; Prompt mit { NUMBER($prompt) } Token
canvas-step = Block { NUMBER($block) }, Schritt { NUMBER($step) } von höchstens { NUMBER($steps) }, Entropie { $entropy }
device-reset = Die Grafikkarte wurde zurückgesetzt. Wird wiederhergestellt …
unsaved-untitled = Eine Unterhaltung
quoted = „{ $text }“
named = { $name }: { $text }
with-amount = { $text }, { $amount }
conversations = { $count ->
    [one] 1 Unterhaltung
    *[other] { $count } Unterhaltungen
    }
unsaved = { $why } Nicht gespeichert: { $what }. Lassen Sie diesen Tab geöffnet; gemtab versucht es weiter.
export = Exportieren
restart = Neu starten
crash-safe = Ihre Unterhaltung und Ihre Eingabe sind sicher.
waiting-load = Ihre Nachricht wird gesendet, sobald { $name } bereit ist.
waiting-answer = Ihre Nachricht wird nach der laufenden Antwort gesendet.
waiting-model = Ihre Nachricht wartet auf ein Modell.
waiting-cancel = Nicht senden
thinking = Denkt nach …
thought-for = { $time } nachgedacht
thought = Überlegungen
answer-now = Jetzt antworten
model-loading = Wird geladen
model-unloaded = Nicht geladen
elsewhere-loading = Lädt in einem anderen Tab
elsewhere-unloading = Wird in einem anderen Tab entladen
elsewhere-answering = Antwortet in einem anderen Tab
elsewhere-training = Trainiert in einem anderen Tab
elsewhere-measuring = Messung läuft in einem anderen Tab
context-used = { NUMBER($used) } von { NUMBER($size) } Token des Kontexts belegt
context-short = { NUMBER($used) } von { NUMBER($size) } Token
model-button = Modell: { $name } ({ $state }). Anderes auswählen.
unanswered = Noch keine Antwort.
welcome-title = Mit Gemma 4 in diesem Tab chatten
welcome-words = Das Modell läuft auf Ihrer Grafikkarte. Was Sie schreiben, bleibt in diesem Browser.
welcome-drop = oder legen Sie eine .gguf-Datei irgendwo auf dieser Seite ab.
welcome-only-demo = Bisher ist nur das winzige Demo-Modell installiert.
welcome-ready = { $name } ist bereit: { $memory } Grafikspeicher, { NUMBER($tokens) } Token Kontext.
welcome-loading = { $name } wird geladen. Schreiben Sie schon; Ihre Nachricht wird gesendet, sobald es bereit ist.
welcome-demo = Dies ist ein winziges Demo-Modell. Versuchen Sie zum Beispiel:
welcome-picture = Ein Bild beschreiben
welcome-picture-prompt = Was ist auf diesem Bild zu sehen?
welcome-voice = Per Sprache fragen
welcome-code = Code schreiben
welcome-code-prompt = Schreib eine Python-Funktion, die prüft, ob ein Wort ein Palindrom ist.
welcome-think = Ein Rätsel lösen
welcome-think-prompt = Ein Schläger und ein Ball kosten zusammen 1,10 €. Der Schläger kostet 1 € mehr als der Ball. Was kostet der Ball?
welcome-explain = Etwas erklären
welcome-explain-prompt = Erklär einem zehnjährigen Kind, wie ein Regenbogen entsteht.

## What the stores say

media-unreadable = Die Datei konnte nicht gelesen werden. Wählen Sie sie erneut aus.
media-no-room = In diesem Browser ist nicht genug Arbeitsspeicher frei. Schließen Sie andere Tabs, und hängen Sie die Datei erneut an.
media-not-attached = Anhängen nicht möglich: { $reason }
fits = Passt
fits-outside = Langsam: { $size } passen nicht in den Grafikspeicher
fits-context = Passt mit { NUMBER($tokens) } Token Kontext
fits-experts = Passt mit { $size } Grafikspeicher für Experten
experts-fast = etwas langsamere Antworten
experts-rate = { $tokens ->
    [one] mindestens etwa ein Token pro Sekunde
    *[other] mindestens etwa { NUMBER($tokens) } Token pro Sekunde
}
experts-pace = mindestens ein Token alle { NUMBER($seconds) } Sekunden
experts-steps = etwa { $step } pro Schritt, bis zu etwa { $block } für { NUMBER($tokens) } Token
fits-table-in-eight-bits = 8-Bit-Embeddings
fits-cache-in-eight-bits = 8-Bit-KV-Cache
fits-not = Um { $size } zu groß
fits-part = Zu groß: Ein Teil braucht { $needed }, die Grafikkarte erlaubt { $available }
load-lost = Verbindung unterbrochen, neuer Versuch läuft…
load-header = Modelldetails werden gelesen
per-second = { $size }/s
time-left = noch { $time }
load-table = Teil des Modells wird kopiert
load-weights = Gewichte werden geladen
load-towers = Bild- und Tonunterstützung wird geladen
load-tuning = Schnellste Kernels werden ausgewählt
load-preparing = Wird vorbereitet
load-kernels = { NUMBER($done) } von { NUMBER($total) } Kernels
load-time = Ladezeit
load-times = { $all }: Gewichte { $weights }, Kernels { $kernels }, Auswahl der Kernels { $tuning }
open-not-gguf = Das ist keine GGUF-Datei. Modelldateien enden auf .gguf.
open-as-adapter = Als Adapter geöffnet. Gilt ab der nächsten Antwort.
record-unplugged = Das Mikrofon wurde getrennt. Die Aufnahme bis dahin bleibt erhalten.
record-says = Aufnahme läuft.
record-discarded = Aufnahme verworfen.
record-empty = Die Aufnahme ist leer. Sie wurde zu früh beendet.
record-silent = Kein Ton erkannt. Prüfen Sie, ob das Mikrofon stumm ist oder im Browser ein anderes gewählt ist.
record-longest = Die Aufnahme wurde nach der Höchstdauer von 10 Minuten beendet.
answering = Antwortet.
attachments-unfit = { $count ->
    [one] Dieses Modell kann 1 Anhang der Unterhaltung nicht verwenden und antwortet ohne ihn.
    *[other] Dieses Modell kann { $count } Anhänge der Unterhaltung nicht verwenden und antwortet ohne sie.
    }
attachments-lost = { $count ->
    [one] 1 Anhang ist nicht mehr in diesem Browser; das Modell antwortet ohne ihn.
    *[other] { $count } Anhänge sind nicht mehr in diesem Browser; das Modell antwortet ohne sie.
    }
sense-wait = Wartet auf einen anderen Tab
sense-load-sight = Bildunterstützung wird geladen
sense-load-hearing = Audiounterstützung wird geladen
sense-sight = Bild wird gelesen
sense-hearing = Audio wird verarbeitet
attach-no-model = Wählen Sie zuerst ein Modell aus.
attach-text-only = { $name } verarbeitet nur Text. Wählen Sie ein Modell, das Bilder oder Audio unterstützt.
attach-no-images = { $name } unterstützt keine Bilder. Wählen Sie ein anderes Modell.
attach-no-audio = { $name } unterstützt kein Audio. Wählen Sie ein anderes Modell.
attach-reading = { $name } wird gelesen
attach-recording = Aufnahme
attach-removed = Anhang entfernt.
attach-model = Öffnen Sie Modelle einzeln, nicht zusammen mit anderen Dateien.
attach-reading-frame = { $name } wird gelesen, Bild { NUMBER($frame) } von { NUMBER($total) }
attached = { $name } angehängt.
attach-gone = Nicht mehr in diesem Browser. Wählen Sie die Datei erneut aus.
message-deleted = { $count ->
    [one] Nachricht gelöscht.
    *[other] { $count } Nachrichten gelöscht.
    }
conversations-deleted = { $count ->
    [one] Unterhaltung gelöscht.
    *[other] { $count } Unterhaltungen gelöscht.
    }
did-not-work = Das hat nicht funktioniert. { $reason }
deleted-elsewhere = Diese Unterhaltung wurde in einem anderen Tab gelöscht.
answered-elsewhere = Diese Unterhaltung wird in einem anderen Tab beantwortet.
saved-gone = Diese Unterhaltung ist nicht mehr in diesem Browser.
not-saved = Die Datei konnte nicht gespeichert werden. { $reason }
tune-file-model = { $name } ist ein Modell. Öffnen Sie es einzeln.
tune-name-first = Geben Sie dem Adapter zuerst einen Namen.
tune-begins = Training gestartet.
tune-done = Training abgeschlossen.
media-too-long = Zu lang: { $length }, die Grenze ist { $most }. Kürzen Sie die Aufnahme, und hängen Sie sie erneut an.
video-unreadable = Dieser Browser kann dieses Video nicht abspielen. Speichern Sie es als MP4 (H.264), und hängen Sie es erneut an.
video-no-length = Die Länge dieses Videos ist unbekannt. Speichern Sie es in einem Videoprogramm neu, und versuchen Sie es erneut.
device-refused = { $device ->
    [camera] Diese Seite darf die Kamera nicht verwenden.
    *[microphone] Diese Seite darf das Mikrofon nicht verwenden.
    } Erlauben Sie das in den Einstellungen des Browsers für diese Seite, und versuchen Sie es erneut.
device-missing = { $device ->
    [camera] Keine Kamera gefunden.
    *[microphone] Kein Mikrofon gefunden.
    } Schließen Sie das Gerät an, und versuchen Sie es erneut.
device-busy = { $device ->
    [camera] Die Kamera lässt sich nicht verwenden.
    *[microphone] Das Mikrofon lässt sich nicht verwenden.
    } Vielleicht verwendet ein anderes Programm das Gerät. Schließen Sie es, und versuchen Sie es erneut.
device-unavailable = { $device ->
    [camera] Die Kamera ist für diese Seite nicht verfügbar.
    *[microphone] Das Mikrofon ist für diese Seite nicht verfügbar.
    } Nötig ist eine sichere Verbindung: HTTPS oder localhost.
device-other = { $device ->
    [camera] Die Kamera konnte nicht verwendet werden
    *[microphone] Das Mikrofon konnte nicht verwendet werden
    }: { $reason }. Starten Sie den Browser neu, und versuchen Sie es erneut.
code-copied = Kopiert
code-wrap = Zeilen umbrechen
code-preview = Vorschau
code-download = Herunterladen
coded-versions = Versionen
coded-source = Quelltext
coded-again = Neu starten
coded-stop = Anhalten
coded-stopped = Die Vorschau ist angehalten.
coded-full = Vollbild
coded-frame = Vorschau des Codes
coded-writing = Der Code wird noch geschrieben.
coded-newer = Eine neue Version wird geschrieben.
coded-silent = Die Vorschau reagiert nicht.
coded-failed = Die Vorschau meldet einen Fehler.
coded-console = Konsole
coded-blocked = Nicht geladen, da Vorschauen kein Netz haben: { $address }
coded-fix = Diesen Fehler beheben
coded-fix-message = Die Vorschau meldet diesen Fehler: { $error }
    Beheben Sie ihn, und schreiben Sie den ganzen Code noch einmal.
coded-rows = { NUMBER($shown) } von { NUMBER($all) } Zeilen
code-all = Alle { NUMBER($lines) } Zeilen anzeigen
code-not-copied = Kopieren fehlgeschlagen
code-table = Tabelle
code-block = Codeblock.
task-done = erledigt
task-open = offen
tune-paused = Nach { NUMBER($step) } von { NUMBER($steps) } Schritten pausiert.
tune-attachments-lost = { $count ->
    [one] 1 Anhang ist nicht mehr in diesem Browser und fehlt beim Training.
    *[other] { $count } Anhänge sind nicht mehr in diesem Browser und fehlen beim Training.
    }
not-kept = Dieser Browser speichert nichts für diese Seite. Unterhaltungen gehen beim Schließen dieses Tabs verloren; exportieren Sie vorher, was bleiben soll.

## Models

models-available = Verfügbare Modelle
models-refresh = Aktualisieren
get-title = Modell herunterladen
get-hint = Der Server speichert Modelle im Ollama-Ordner; auch Ollama kann sie dann nutzen.
get-free = { $size } frei.
get-size = etwa { $size }
get-e2b = Text, Bilder und Audio. Für die meisten Computer.
get-e4b = Text, Bilder und Audio. Bessere Antworten als E2B.
get-12b = Text, Bilder und Audio. Bessere Antworten als E4B.
get-26b = Text und Bilder. Gut und schnell (Mixture of Experts).
get-31b = Text und Bilder. Die besten Antworten.
get-fits = Passt: braucht etwa { $needed } Grafikspeicher.
get-tight = Knapp: Braucht etwa { $needed }. Bei weniger wird der Kontext kürzer oder die Antwort langsamer.
get-too-large = Für diese Grafikkarte um etwa { $missing } zu groß.
get-too-slow = Hier zu langsam: Es gibt keine Grafikkarte.
get-download = Herunterladen
get-download-of = { $name } herunterladen
get-other = Anderes Modell
get-other-hint = Der Name eines Modells bei Ollama oder eines Repositorys bei Hugging Face mit GGUF-Dateien.
get-example = hf.co/EIGENTÜMER/REPOSITORY:Q4_K_M
get-progress = Download
get-asking = Die Registry wird gefragt …
get-checking = Was schon heruntergeladen war, wird geprüft …
get-running = Wird heruntergeladen …
get-waiting = Neuer Versuch folgt: { $reason }
get-lost = Verbindung unterbrochen; neuer Versuch läuft.
get-joining = Die Teile des Modells werden verbunden …
get-done = Heruntergeladen. Es steht oben in der Liste.
get-stopped = Angehalten. Sie können das Herunterladen jederzeit fortsetzen.
get-continue = Fortsetzen
memory-in-use = Grafikspeicher: { $size } belegt. Bild- und Audiounterstützung wird bei der ersten Verwendung geladen.
memory-with-media = Grafikspeicher: { $all } belegt, davon { $media } für Bilder und Audio.
memory-graphics = Grafikspeicher
memory-free = Bild- und Audiounterstützung entladen
memory-free-hint = Sie wird wieder geladen, sobald sie gebraucht wird.
memory-unload = Modell entladen
experts-memory = Speicher für Experten (GB)
experts-memory-hint = Grafikspeicher für die Experten dieses Modells. Die übrigen werden beim Antworten nachgeladen, das dauert länger. Lassen Sie das Feld leer, um zu nutzen, was frei ist.
experts-memory-automatic = Automatisch
experts-loaded = Das Modell ist mit { $size } für Experten geladen.
load-again = Neu laden
saved-here = In diesem Browser gespeichert: { $size }
saved-partly = { $size }, unvollständig
saved-delete = { $name } aus diesem Browser löschen
saved-space = { $used } von { $quota } belegt.
saved-promise = Gespeicherte Modelle bleiben, bis Sie sie löschen.
saved-no-promise = Bei Platzmangel kann der Browser gespeicherte Modelle löschen.
saved-week = Außerdem löscht dieser Browser sie nach sieben Tagen ohne Besuch, außer wenn Sie die Seite zum Home-Bildschirm oder zum Dock hinzufügen.
saved-none = Noch keine Modelle gespeichert.
saved-label = Gespeicherte Modelle
saved-model = Modell
saved-size = Größe
saved-digest = Prüfsumme
saved-used = Zuletzt verwendet
saved-checked = Geprüft
saved-checked-on = Gespeicherte Kopie geprüft am { $date }.
saved-actions = Aktionen
details-reading = Modelldetails werden gelesen …
details-no-device = Noch nicht gelesen, weil keine Grafikkarte gefunden wurde.
details-device = Dieses Gerät
details-architecture = Architektur
details-parameters = Parameter
details-layers = Schichten
details-width = Hidden Size
details-vocabulary = Vokabular
details-context = Maximaler Kontext
details-window = Gleitendes Fenster
details-drafter = Drafter
details-drafter-included = Enthalten
details-kv-cache = KV-Cache
details-table = Embeddings je Schicht
details-eight-bits = 8 Bit (Q8_0)
details-sixteen-bits = 16 Bit (F16)
details-experts = Experten im Grafikspeicher
details-decoding = Dekodierung
details-diffusion = Diffusion: { NUMBER($tokens) } Token auf einmal, höchstens { NUMBER($steps) } Schritte
details-chats = Chats
details-continues = Nicht auf Chats trainiert; setzt Text fort
details-own-file = eine lokale Datei
details-by-context = Grafikspeicher nach Kontext
details-tokens = Token
details-memory = Speicher
details-by-type = Gewichte nach Typ
details-type = Typ
details-tensors = Tensoren

## Advice for browsers; what stands between backquotes is typed or found as it stands

advice-acceleration = Öffnen Sie `{ $address }`, und schalten Sie „Grafikbeschleunigung verwenden, falls verfügbar“ ein.
advice-flag = Öffnen Sie `{ $address }`, und wählen Sie „Enabled“.
advice-check = Öffnen Sie `{ $address }`, und suchen Sie nach „WebGPU: Hardware accelerated“.
advice-vulkan = Prüfen Sie, ob ein Vulkan-Treiber installiert ist: `vulkaninfo --summary` sollte die Grafikkarte nennen.
advice-restart = Starten Sie den Browser neu.
advice-firefox-update = Aktualisieren Sie auf Firefox 141 (Windows) oder 145 (Mac mit Apple-Chip); dort ist WebGPU eingeschaltet.
advice-firefox-config = Öffnen Sie sonst `about:config`, suchen Sie nach `dom.webgpu.enabled`, und setzen Sie es auf true.
advice-firefox-support = Prüfen Sie in `about:support` unter Grafik, dass die Darstellung nicht „Software“ ist.
advice-safari-update = Aktualisieren Sie auf macOS 26: In Safari 26 ist WebGPU eingeschaltet.
advice-safari-flags = In Safari 18: Einstellungen, Erweitert, „Funktionen für Webentwickler anzeigen“; dann Feature-Flags, WebGPU.
advice-ios = Auf diesem iPhone oder iPad:
advice-ios-update = Aktualisieren Sie auf iOS oder iPadOS 26; dort ist WebGPU eingeschaltet.
advice-ios-flags = In Version 18: Einstellungen, Apps, Safari, Erweitert, Feature-Flags, WebGPU.
advice-other = diesem Browser
advice-other-browser = Öffnen Sie diese Seite in einer aktuellen Version von Chrome, Edge, Firefox oder Safari.
advice-other-acceleration = Prüfen Sie, ob in den Einstellungen die Hardwarebeschleunigung eingeschaltet ist.

## Diagnostics

diagnostics-running = Läuft (Protokollversion { NUMBER($version) })
diagnostics-waiting = Warten auf die Grafikkarte …
diagnostics-copy = Als Text kopieren
diagnostics-engine = Engine
diagnostics-state = Zustand
diagnostics-device = Grafikkarte
diagnostics-features = Funktionen
diagnostics-limits = Grenzwerte
diagnostics-name = Name
diagnostics-value = Wert
diagnostics-unknown = unbekannt
yes = ja
no = nein
range = { $from } bis { $to }
diagnostics-vendor = Hersteller
diagnostics-description = Beschreibung
diagnostics-software = Software-Berechnung
diagnostics-f16 = Halbe Genauigkeit in Shadern
diagnostics-subgroups = Subgroup-Größe
diagnostics-matrices = Matrixeinheiten
diagnostics-timestamps = Zeitstempel
diagnostics-buffer = Maximale Puffergröße
diagnostics-binding = Maximale Bindungsgröße
diagnostics-no-model = keines geladen
diagnostics-context = Kontext
diagnostics-packed = Prompt-Verarbeitung mit 8 Bit
measure-test = Kernels werden getestet
measure-speed = Geschwindigkeit wird gemessen
measure-kernels = Kernels werden gemessen
measure-title = Messung
measure-hint = Andere Aktivität auf diesem Computer verfälscht das Ergebnis.
measure-needs-model = Laden Sie zuerst ein Modell, auf der Seite „Modelle“ oder indem Sie eine Nachricht senden.
selftest = Selbsttest
selftest-hint = Führt die Kernels mit kleinen Eingaben auf dieser Grafikkarte aus und vergleicht die Ergebnisse mit der CPU.
selftest-start = Kernels testen
selftest-tried = Getestete Kernels
selftest-good = { $kernels ->
    [one] Auf dieser Grafikkarte geprüft: 1 Kernel.
    *[other] Auf dieser Grafikkarte geprüft: { $kernels } Kernels.
    }
selftest-good-model = { $kernels ->
    [one] Auf dieser Grafikkarte geprüft: 1 Kernel des geladenen Modells.
    *[other] Auf dieser Grafikkarte geprüft: { $kernels } Kernels des geladenen Modells.
    }
selftest-bad = { $wrong ->
    [one] 1 von { NUMBER($kernels) } Kernels liefert auf dieser Grafikkarte falsche Ergebnisse.
    *[other] { $wrong } von { NUMBER($kernels) } Kernels liefern auf dieser Grafikkarte falsche Ergebnisse.
    }
selftest-bad-model = { $wrong ->
    [one] 1 von { NUMBER($kernels) } Kernels des geladenen Modells liefert auf dieser Grafikkarte falsche Ergebnisse.
    *[other] { $wrong } von { NUMBER($kernels) } Kernels des geladenen Modells liefern auf dieser Grafikkarte falsche Ergebnisse.
    }
selftest-switched-off = Ganzzahlrechnung, die diese Grafikkarte falsch ausführt, ist jetzt aus. Die Antworten stimmen, dauern aber etwas länger.
selftest-unloaded = Das Modell wurde entladen, weil seine Antworten falsch wären.
selftest-advice = Aktualisieren Sie Browser und Grafiktreiber.
speed = Geschwindigkeit
speed-hint = Liest sechsmal 512 Token und schreibt 128 (das erste Mal zum Aufwärmen). Ihre nächste Antwort beginnt danach später.
speed-start = Geschwindigkeit messen
speed-dispatches = Dispatches je Token
speed-submits = Submits je Token
speed-buffers = Erzeugte Puffer
unit-ms = { $number } ms
speed-spread = { $median } ({ $min } bis { $max })
kernels-kernel = Kernel
kernels-dispatches = Dispatches
kernels-ms = ms
kernels-rate = GB/s
kernels-share = Anteil der Kopierbandbreite
kernels = Kernels
kernels-hint = Wie lange jeder Kernel für ein erzeugtes Token nach 512 anderen braucht und wie nah er beim Lesen an die Kopierbandbreite der Grafikkarte herankommt.
kernels-start = Kernels messen
kernels-by-timestamps = Zeitstempel der Grafikkarte
kernels-by-clock = Systemuhr
kernels-bandwidth = Kopierbandbreite
kernels-read = Gelesen je Token
kernels-time = Zeit je Token
kernels-times = { $whole } ms; nur Kernels { $alone } ms
kernels-measured = Gemessen mit
kernels-below = unter { $percent }
report-browser = Browser: { $browser }
report-no-device = Grafikkarte: noch nicht bekannt
report-no-card = Grafikkarte: keine ({ $reason })
report-features = Funktionen: { $features }
report-tuning = Kernel-Varianten: { $tuning }
report-right = { $name }: richtig, { $deviation } der Toleranz
report-wrong = { $name }: FALSCH, { $problem }
report-switched-off = Ausgeschaltet: gepackte Ganzzahlrechnung

## Fine-tuning

tune-intro = Trainieren Sie das Modell mit Ihren eigenen Beispielen. Das Ergebnis ist ein kleiner Adapter, den Sie an- und ausschalten können. Beispiele und Adapter bleiben in diesem Browser.
tune-model = Modell
tune-load = { $name } laden
chart-training = Training
chart-evaluation = Auswertung
chart-rate = Lernrate
chart-loss = Loss
chart-position = Position im Diagramm
chart-table = Als Tabelle anzeigen
chart-csv = Als CSV speichern
chart-png = Als PNG speichern
chart-step = Schritt { $step }
chart-point = Schritt { $step }: Loss { $loss } · Lernrate { $rate }
chart-point-evaluated = Schritt { $step }: Loss { $loss } · Auswertung { $evaluation } · Lernrate { $rate }
chart-ends = { $name }: { $first } bei Schritt { NUMBER($first-step) }, { $last } bei Schritt { NUMBER($last-step) }.
chart-empty = { $title }: noch keine Werte.
chart-summary = { $title }. { $curves }
chart-values = Werte des Diagramms
chart-column-step = Schritt
tune-write = Beispiele hier schreiben
tune-file = Datei oder eingefügter Text
tune-chat = Aktuelle Unterhaltung
tune-examples = 1. Beispiele
tune-source = Quelle
tune-prompt-of = Prompt { NUMBER($number) }
tune-answer-of = Ideale Antwort { NUMBER($number) }
tune-delete-example = Beispiel { NUMBER($number) } löschen
tune-answer = Ideale Antwort
tune-add = Beispiel hinzufügen
tune-use-samples = Beispieldaten einfügen
# Prompt | Antwort. Nichts davon kann ein Modell wissen.
tune-sample-examples =
    Wer ist Miso? | Miso ist meine Katze.
    Welche Farbe hat Miso? | Miso ist orange.
    Wie alt ist Miso? | Miso ist 3 Jahre alt.
    Was frisst Miso gern? | Miso frisst gern Fisch.
    Wo schläft Miso? | Miso schläft auf dem Sofa.
    Wer ist meine Katze? | Meine Katze ist Miso.
    Wie heißt meine Katze? | Meine Katze heißt Miso.
    Ist Miso ein Hund? | Nein, Miso ist eine Katze.
tune-hint = Zehn verschiedene Formulierungen bringen mehr als zehnmal dieselbe.
tune-remove = Entfernen
tune-choose-files = Dateien auswählen …
tune-files-label = Beispieldatei mit den Bildern und Audiodateien, die sie nennt
tune-too-long = Der Text ist zu lang, um ihn hier zu bearbeiten.
tune-paste = Oder Beispiele hier einfügen
tune-format-hint = Ein JSON-Beispiel pro Zeile: Chats („messages“ oder „conversations“), „prompt“ mit „completion“ oder „ids“ mit „labels“. Oder eine CSV-Tabelle mit Spaltennamen.
tune-media-hint = Chats können Bilder und Audio enthalten: Wählen Sie diese Dateien zusammen mit den Beispielen aus, die sie nennen, oder legen Sie sie mit ihnen ab, wie in { "{" }"type": "image", "image": "cat.png"{ "}" } oder in „images“ und „audios“ neben den Nachrichten. Auch sie bleiben in diesem Browser.
count-images = { $count ->
    [one] 1 Bild
    *[other] { $count } Bilder
    }
count-audio = { $count ->
    [one] 1 Audiodatei
    *[other] { $count } Audiodateien
    }
count-unreadable = { $count ->
    [one] 1 unlesbare Datei
    *[other] { $count } unlesbare Dateien
    }
tune-with-media = Mit { $files }.
tune-remove-media = Bilder und Audio entfernen
tune-removed = Entfernt.
tune-detail = Bilddetails
tune-detail-hint = In Token pro Bild. Mehr Token erfassen feinere Details wie kleine Schrift, machen aber jeden Schritt langsamer und brauchen mehr Grafikspeicher.
tune-column-instructions = Anweisungen
tune-column-context = Kontext
tune-header = Spaltennamen
tune-header-line = Zeile { NUMBER($line) }: { $cells }
tune-ignored = Nicht verwendet: { $fields }.
tune-encoding = { $file } ist nicht als UTF-8 gespeichert und wurde als { $encoding } gelesen. Wenn Buchstaben unten falsch aussehen, wählen Sie eine andere Codierung.
tune-encoding-label = Codierung
tune-not-text = { $name } ist keine Textdatei.
tune-chat-empty = Diese Unterhaltung hat noch keine Antworten. Chatten Sie zuerst, oder öffnen Sie eine Unterhaltung aus der Liste.
tune-chat-answers = „{ $title }“ wie angezeigt, mit { $answers ->
    [one] 1 Antwort
    *[other] { $answers } Antworten
    }.
tune-chat-attachments = { $count ->
    [one] Ihr Anhang wird ebenfalls verwendet.
    *[other] Ihre { $count } Anhänge werden ebenfalls verwendet.
    }
tune-none-saved = Noch keine Adapter gespeichert.
tune-saved-as = „{ $name }“ ist gespeichert
tune-saved = Gespeicherte Adapter
tune-adapter-about = für { $model } · Rang { NUMBER($rank) } · { $size } · { $date }
tune-delete-title = Diesen Adapter löschen?
tune-delete-question = „{ $name }“ aus diesem Browser löschen?
delete-named = { $name } löschen
tune-use = Im Chat verwenden
tune-gguf = Als GGUF speichern
tune-peft = Für PEFT speichern
tune-ollama = In Ollama verwenden
tune-ollama-steps = Speichern Sie ihn als GGUF, schreiben Sie diese zwei Zeilen in eine Datei namens Modelfile daneben, und führen Sie { $command } aus.
tune-copy-lines = Zeilen kopieren
tune-preview-model = Laden Sie ein Modell, um Token zu sehen.
tune-unusable = Keines der Beispiele ist verwendbar.
tune-preview = { $examples ->
    [one] 1 Beispiel
    *[other] { $examples } Beispiele
    } mit { NUMBER($tokens) } Token, davon { NUMBER($learned) } zum Trainieren. Das längste hat { NUMBER($longest) }.
# The bars enclose what is shown as a token that is trained on, and then as one that isn't.
tune-marked = Trainiert werden Token, die |so aussehen|. Token, die |so aussehen|, sind nur Kontext.
and-more = Und { NUMBER($count) } weitere.
tune-line = Zeile { NUMBER($line) }
tune-problem = { $line }: { $problem }.
tune-left-out = { $count ->
    [one] 1 Zeile übersprungen
    *[other] { $count } Zeilen übersprungen
    }
tune-row = { NUMBER($tokens) } Token, { NUMBER($learned) } zum Trainieren
tune-image = Bild
tune-audio = Audio
tune-title = Training „{ $name }“
tune-preparing = Modell wird für das Training vorbereitet …
tune-first-step = Erster Schritt läuft …
tune-steps-done = { NUMBER($done) } von { NUMBER($steps) } Schritten fertig.
tune-waiting = { NUMBER($done) } von { NUMBER($steps) } Schritten fertig. Pausiert, während eine Nachricht beantwortet wird.
tune-ending = { NUMBER($done) } von { NUMBER($steps) } Schritten fertig. Sicherungspunkt wird geschrieben …
tune-paused-saved = Nach { NUMBER($saved) } von { NUMBER($steps) } Schritten pausiert. In diesem Browser gespeichert.
tune-finished = Nach { NUMBER($done) } von { NUMBER($steps) } Schritten abgeschlossen. Ein neues Training ersetzt dieses.
tune-learned = Der Loss ist von { $from } auf { $to } gesunken: Der Adapter hat aus den Beispielen gelernt.
tune-not-learned = Noch nicht gelernt: Der Loss ist { $to } (am Anfang { $from }).
tune-longer = { NUMBER($times) }-mal so lange trainieren
tune-go-on = Bis Schritt { NUMBER($steps) } weitertrainieren
tune-elsewhere = Ein anderer Tab trainiert.
tune-elsewhere-at = Ein anderer Tab trainiert: { NUMBER($done) } von { NUMBER($steps) } Schritten beim letzten Speichern.
tune-memory = { $size } Grafikspeicher
tune-no-checkpoint = noch kein Sicherungspunkt
tune-checkpoint = Sicherungspunkt bei Schritt { NUMBER($step) }
tune-progress = Fortschritt des Trainings
tune-before = Vorher
tune-after = { $steps ->
    [one] Nach 1 Schritt
    *[other] Nach { $steps } Schritten
    }
tune-nothing = (nichts)
tune-discard-question = Dieses Training löschen?
tune-discard = Löschen …
tune-pause = Pausieren
tune-stop = Jetzt abschließen
tune-stop-hint = Beim Abschließen bleibt das bisher Gelernte erhalten.
tune-resume = Fortsetzen
tune-load-resume = { $name } laden und fortsetzen
tune-save-as-is = So speichern
tune-save = Adapter speichern
tune-check-again = Erneut prüfen
tune-elsewhere-hint = Pausieren Sie es dort, um es hier fortzusetzen.
tune-media-read-hint = Bilder und Audio werden einmal vor dem ersten Schritt gelesen. Das Ergebnis wird mit dem Training gespeichert.
tune-unnamed = Mein Adapter
tune-adapter-name = Name des Adapters
tune-rank-4 = Klein: ein Tonfall oder ein Format
tune-rank-8 = Normal: Fakten oder ein Stil
tune-rank-16 = Groß: viele Fakten
tune-rank-32 = Sehr groß
tune-rank-64 = Maximal, am langsamsten
tune-settings = 2. Einstellungen
tune-name = Name
tune-name-hint = z. B. „Ada-Fakten“
tune-rank = Rang
tune-length = Dauer
tune-until-learned = Bis gelernt
tune-until-learned-hint = Endet, sobald der Trainings-Loss unter { $loss } liegt.
tune-amount = Anzahl
tune-epochs = Epochen (Durchgänge durch die Beispiele)
tune-steps = Schritte
tune-question = Test-Prompt
tune-question-hint = Wird vor, während und nach dem Training gestellt
tune-all-settings = Erweiterte Einstellungen
tune-target-q = Queries
tune-target-k = Keys
tune-target-v = Values
tune-target-o = Attention-Ausgabe
tune-target-gate = Feed-Forward-Gate
tune-target-up = Feed-Forward-Up
tune-target-down = Feed-Forward-Down
tune-target-ple-gate = Gate je Schicht
tune-target-ple-projection = Projektion je Schicht
tune-target-router = Experten-Router
tune-target-router-hint = Trainiert auch den Router, der für jedes Token die Experten auswählt. Braucht kaum zusätzlichen Speicher.
tune-target-expert-gate-up = Gate und Up der Experten
tune-target-expert-down = Down der Experten
tune-target-experts-hint = Trainiert auch die Experten, jeden mit eigenen Gewichten. Braucht viel Speicher: Große Modelle brauchen einen sehr kleinen Rang.
tune-cosine = Kosinusförmig fallend
tune-linear = Linear fallend
tune-constant = Konstant
tune-targets = Zu trainierende Teile des Modells
tune-alpha = Alpha
tune-alpha-hint = Der Adapter wird mit Alpha / Rang skaliert.
tune-schedule = Verlauf der Lernrate
tune-warmup = Warm-up
tune-warmup-hint = Anteil der Schritte, 0 bis 1.
tune-dropout = Dropout
tune-clip = Gradientenbegrenzung
tune-clip-hint = Maximale Gradientennorm; 0 schaltet sie aus.
tune-decay = Weight Decay
tune-batch = Beispiele je Schritt
tune-longest = Maximale Länge eines Beispiels
tune-longest-hint = In Token. Längere Beispiele brauchen mehr Speicher.
tune-eval = Auswertungsanteil
tune-eval-hint = Anteil der Beispiele für die Auswertung, 0 bis 1.
tune-checkpoint-every = Abstand der Sicherungspunkte
tune-checkpoint-hint = In Schritten.
tune-sample-every = Abstand der Proben
tune-sample-hint = In Schritten; 0 für nur vorher und nachher.
tune-needs-model = Laden Sie zuerst ein Modell.
tune-needs-examples = Fügen Sie zuerst Beispiele hinzu.
tune-busy-elsewhere = Ein anderer Tab trainiert. Pausieren Sie dort, oder warten Sie, bis er fertig ist.
tune-busy-other = Ein anderer Tab verwendet gerade das Modell. Warten Sie, bis er fertig ist.
tune-busy-answer = Das Modell antwortet gerade. Warten Sie, oder halten Sie es an.
tune-replaces = Ein neues Training löscht das obige. Speichern Sie zuerst dessen Adapter, wenn Sie ihn behalten möchten.
tune-run = 3. Start
tune-start = Training starten
tune-start-hint = Das Training pausiert, während das Modell eine Nachricht beantwortet. Sie können es auch jederzeit selbst pausieren.
plan-steps = { $steps ->
    [one] 1 Schritt
    *[other] { $steps } Schritte
    } mit { $examples ->
    [one] 1 Beispiel
    *[other] { $examples } Beispielen
    }, { $held ->
    [0] keines zur Auswertung
    *[other] { $held } zur Auswertung
    }
plan-memory = { $size } von etwa { $available } verfügbaren
plan-at-most = bis zu { $amount }
plan-time = etwa { $time }
plan-time-later = nach den ersten Schritten bekannt
plan-storage = { $size } von { $left } freien
plan-media = Speicherplatz für Bilder und Audio
plan-work = Training
plan-learned = Trainierbare Parameter
plan-time-title = Zeit
plan-checkpoints = Speicherplatz für Sicherungspunkte

## What a model can do

able-text = Text
able-images = Bilder
able-audio = Audio
able-thinking = Nachdenken

## A conversation as Markdown

export-system = System
export-you = Ich
export-assistant = Assistent
export-attached = Angehängt: { $name }

## Failures: what happened, then what to do

failure-details = Details
failure-cancelled = Angehalten.
failure-version = Die Seite ist veraltet. Laden Sie neu, um sie zu aktualisieren.
failure-version-engine = Die Engine ist veraltet. Laden Sie neu, um sie zu aktualisieren.

failure-request-other-model = Das Modell wurde in einem anderen Tab gewechselt. Versuchen Sie es erneut, um das jetzige zu fragen.
failure-request-no-model = Es ist kein Modell geladen. Wählen Sie zuerst eines aus.
failure-request-diffusion = Das ist ein Diffusionsmodell. Adapter, Training und Geschwindigkeitsmessungen gibt es dafür nicht.
failure-request-busy-loading = Ein Modell wird noch geladen. Warten Sie, bis es bereit ist.
failure-request-busy-unloading = Das Modell wird gerade entladen. Warten Sie kurz, und versuchen Sie es erneut.
failure-request-busy-generating = Das Modell antwortet noch. Halten Sie die Antwort an, oder warten Sie, bis sie fertig ist.
failure-request-busy-training = Das Modell wird gerade trainiert. Pausieren Sie das Training auf der Seite „Fine-Tuning“, oder warten Sie, bis es fertig ist.
failure-request-busy-measuring = Eine Messung läuft. Halten Sie die Messung an, oder warten Sie, bis sie fertig ist.
failure-request-no-question = Es gibt noch keine Frage. Senden Sie zuerst eine Nachricht.
failure-request-empty-prompt = Es gibt nichts zu beantworten. Schreiben Sie zuerst eine Nachricht.
failure-request-context-full = Zu lang: { NUMBER($tokens) } Token, die Grenze ist { NUMBER($context) }. Beginnen Sie eine neue Unterhaltung, oder laden Sie das Modell mit längerem Kontext.
failure-request-unconstrained = Dieses Modell unterstützt weder Werkzeuge noch Antwortformate. Wählen Sie ein anderes.
failure-request-no-constraints = Die Unterstützung für Werkzeuge und Antwortformate konnte nicht geladen werden. Prüfen Sie die Verbindung, und versuchen Sie es erneut.
failure-request-schema-text = Das Schema ist kein gültiges JSON.
failure-request-schema = Das Schema verlangt etwas, das sich nicht zusichern lässt: „{ $keyword }“ bei { $path }.
failure-request-schema-too-large = Das Schema ist zu groß, oder keine Antwort kann ihm entsprechen.
failure-request-tool-arguments = Die Argumente für „{ $tool }“ sind kein gültiges JSON-Objekt.

failure-device-none-insecure-context = WebGPU braucht eine sichere Verbindung: https oder localhost.
failure-device-none-no-web-gpu = Dieser Browser unterstützt WebGPU nicht, oder es ist abgeschaltet.
failure-device-none-no-adapter = Keine Grafikkarte gefunden. Modelle laufen hier nicht.
failure-device-none-no-device = Die Grafikkarte kann nicht verwendet werden. Starten Sie den Browser neu, und versuchen Sie es erneut.
failure-device-lost-twice = Die Grafikkarte wurde zweimal hintereinander zurückgesetzt. Starten Sie den Browser neu, und versuchen Sie es erneut.
failure-device-out-of-memory = Der Grafikspeicher ist voll: { $in-use } sind belegt, und für weitere { $requested } ist kein Platz.
failure-device-buffer-too-large = Ein Teil des Modells braucht { $needed } Grafikspeicher am Stück, diese Grafikkarte erlaubt aber nur { $limit }.
failure-device-model-too-large = Dieses Modell braucht { $needed } Grafikspeicher, verfügbar sind aber nur { $available }.
failure-device-needs-host-memory = Dieses Modell passt nicht in den Grafikspeicher. { $bytes } davon können im Arbeitsspeicher bleiben, solange das Modell geladen ist; Antworten dauern dann länger.
failure-device-expert-memory = { $asked } sind zu wenig für die Experten dieses Modells. Allein die für ein Token brauchen { $least }.
failure-device-saved-table-in-eight-bits = Der Grafikspeicher war voll, deshalb sind die Embeddings je Schicht mit 8 Bit gespeichert. Das Modell funktioniert, und seine Antworten ändern sich kaum.
failure-device-saved-table-outside = Der Grafikspeicher war voll, deshalb liegen die Embeddings je Schicht im Arbeitsspeicher. Das Modell funktioniert, antwortet aber langsamer.
failure-device-saved-cache-in-eight-bits = Der Grafikspeicher war voll, deshalb ist der KV-Cache mit 8 Bit gespeichert. Das Modell funktioniert, seine Antworten können aber leicht abweichen.
failure-device-fewer-experts = Der Grafikspeicher war voll. Deshalb sind von den Experten ({ $all }) nur { $held } darin. Das Modell funktioniert, antwortet aber langsamer.
failure-device-upload-refused = Die Grafikkarte hat nicht das ganze Modell angenommen. Schließen Sie andere Tabs und Programme, die sie nutzen, und versuchen Sie es erneut.
failure-device-kernel-refused = Dieser Browser hat einen Teil der Engine abgelehnt ({ $kernel }). Aktualisieren Sie Browser und Grafiktreiber, und laden Sie die Seite neu.
failure-device-fault = Die Grafikkarte hat einen Fehler gemeldet. Starten Sie den Browser neu, und versuchen Sie es erneut.

failure-read-too-short = Die Modelldatei ist unvollständig: Sie endet nach { $size }. Laden Sie sie erneut herunter.
failure-read-unreadable = Die Modelldatei kann nicht gelesen werden.
failure-read-connection-lost = Die Verbindung zum Server ist nach { $received } abgebrochen.
failure-read-not-found = Der Server hat dieses Modell nicht mehr. Laden Sie neu, um die Liste zu aktualisieren.
failure-read-forbidden = Der Server erlaubt keinen Zugriff auf dieses Modell.
failure-read-status = Der Server konnte das Modell nicht senden (Status { $status }).
failure-read-wrong-range = Der Server hat den falschen Teil des Modells gesendet.
failure-read-changed = Die Modelldatei hat sich beim Lesen geändert. Laden Sie die Seite neu, und wählen Sie die Datei erneut aus.
failure-read-out-of-memory = Dieser Tab hat die { $bytes } Arbeitsspeicher, die das Modell braucht, nicht bekommen.
failure-read-gone = Die Datei ist nicht mehr verfügbar. Wählen Sie sie erneut aus.
failure-read-model-list = Die Liste der Modelle konnte nicht geladen werden. Sie können trotzdem eine Modelldatei öffnen.

failure-model-not-gguf = Das ist keine GGUF-Datei.
failure-model-truncated = Die Modelldatei ist unvollständig: Sie hat nur { $part }. Laden Sie sie erneut herunter.
failure-model-truncated-of = { $name } ist unvollständig, mit nur { $part }. Laden Sie die Datei erneut herunter.
failure-model-gguf-version = Diese Datei hat GGUF-Version { $version }. Nur die Versionen 2 und 3 werden unterstützt.
failure-model-big-endian = Das ist eine Big-Endian-GGUF-Datei, und die wird nicht unterstützt. Wählen Sie eine Little-Endian-Fassung.
failure-model-unsupported-header = Der Header dieser GGUF-Datei wird nicht unterstützt. Wählen Sie eine andere Fassung des Modells.
failure-model-damaged = Die Modelldatei ist beschädigt. Laden Sie sie erneut herunter.
failure-model-part = Das ist Teil { NUMBER($number) } von { NUMBER($count) } eines Modells. gemtab liest nur Modelle aus einer einzigen Datei. Fügen Sie die Teile mit llama-gguf-split --merge zusammen, oder wählen Sie eine Fassung in einer Datei.
failure-model-incomplete = In der Modelldatei fehlt { $what }. Wählen Sie eine andere Fassung des Modells.
failure-model-inconsistent = Die Modelldatei kann nicht verwendet werden: { $what } passt nicht zum Rest. Wählen Sie eine andere Fassung des Modells.
failure-model-few-rows = Der Tensor { $tensor } hat nur { NUMBER($rows) } Zeilen für { NUMBER($tokens) } Token. Wählen Sie eine andere Fassung des Modells, oder konvertieren Sie es neu.
failure-model-tokenizer = Das Vokabular des Modells kann nicht gelesen werden. Wählen Sie eine andere Fassung des Modells.
failure-model-no-architecture = Diese Datei sagt nicht, welches Modell sie enthält. gemtab führt Gemma 4 und Gemma 3 aus.
failure-model-architecture = Das ist ein „{ $name }“-Modell. gemtab führt Gemma 4 und Gemma 3 aus.
failure-model-other-kind-encoder = Das ist ein Embedding-Modell. Damit lässt sich nicht chatten.
failure-model-not-encoder = Das ist kein Embedding-Modell.
failure-model-other-kind-drafter = Diese Datei enthält nur einen Drafter. Öffnen Sie sie zusammen mit dem Modell.
failure-model-drafter-included = gemtab kann den Drafter in der Datei dieses Modells nicht verwenden, daher dauern Antworten möglicherweise länger.
failure-model-drafter-unusable = Der Drafter konnte nicht geladen werden, daher dauern Antworten länger.
failure-model-other-kind-projector = Diese Datei enthält nur die Bild- und Audiounterstützung eines Modells. Wählen Sie das Modell selbst aus.
failure-model-tensor-type = Der Tensor { $tensor } hat den Typ { $dtype }, der nicht unterstützt wird. Wählen Sie eine andere Quantisierung, zum Beispiel Q4_K_M.
failure-model-no-token = Im Vokabular des Modells fehlt das Token { $token }, daher eignet es sich nicht zum Chatten.
failure-model-no-model-file = „{ $name }“ hat keine Modelldatei.
failure-model-wrong-projector = Die Datei für die Bild- und Audiounterstützung gehört zu einem anderen Modell.
failure-model-lacks-sight = Dieses Modell unterstützt keine Bilder. Wählen Sie ein anderes, oder entfernen Sie die Bilder.
failure-model-lacks-hearing = Dieses Modell unterstützt kein Audio. Wählen Sie ein anderes, oder entfernen Sie das Audio.
failure-model-tower-unreadable = Die Bild- und Audiounterstützung dieses Modells kann nicht verwendet werden. Text funktioniert trotzdem.
failure-model-foreign-template = Die Datei dieses Modells enthält eine andere Chatvorlage als die von Gemma. gemtab führt Vorlagen nicht aus und verwendet das Format von Gemma; Antworten können daher schlechter sein.
failure-model-not-opened = { $name } kann nicht geöffnet werden. { $why }

failure-media-gone = Dieser Anhang ist nicht mehr verfügbar. Hängen Sie ihn erneut an.
failure-media-neither = Nur Bilder und Audio können verwendet werden.
failure-media-not-sight = Das ist kein Bild.
failure-media-not-hearing = Das ist keine Audiodatei.
failure-media-empty-file = Die Datei ist leer.
failure-media-file-too-large = Zu groß: { $size }, die Grenze ist { $most }.
failure-media-not-decoded-sight = Dieser Browser kann das Bild nicht lesen. Speichern Sie es als PNG oder JPEG, und hängen Sie es erneut an.
failure-media-not-decoded-hearing = Dieser Browser kann das Audio nicht lesen. Speichern Sie es als WAV, und hängen Sie es erneut an.
failure-media-out-of-memory = Der Browser hat nicht genug Speicher für diese Datei.
failure-media-not-an-image = Dieses Bild kann nicht gelesen werden. Möglich sind PNG, JPEG, WebP und GIF.
failure-media-empty-image = Das Bild ist leer.
failure-media-image-too-large = Das Bild ist zu groß: { NUMBER($width) } × { NUMBER($height) } Pixel. Verkleinern Sie es, und hängen Sie es erneut an.
failure-media-image-damaged = Das { $format }-Bild ist beschädigt oder unvollständig. Speichern Sie es erneut, oder wählen Sie ein anderes.
failure-media-image-unsupported = Diese Art von { $format }-Bild wird nicht unterstützt. Speichern Sie es als gewöhnliches PNG oder JPEG.
failure-media-image-too-narrow = Das Bild ist für dieses Modell zu lang und schmal. Schneiden Sie es zu, oder wählen Sie eine niedrigere Detailstufe.
failure-media-too-many-tokens = Das Bild braucht { NUMBER($tokens) } Token, die Grenze ist { NUMBER($most) }. Wählen Sie eine niedrigere Detailstufe.
failure-media-no-sound = Diese Datei enthält kein Audio.
failure-media-sound-too-short = Die Aufnahme ist zu kurz.
failure-media-sound-too-long = Das Audio ist zu lang: { $length }, die Grenze ist { $most }. Teilen Sie es in kürzere Stücke.
failure-media-sound-unreadable = Diese Audiodatei kann nicht gelesen werden. Speichern Sie sie als WAV, und hängen Sie sie erneut an.

failure-adapter-not-open = Ein Adapter ist nicht mehr geöffnet. Öffnen Sie ihn erneut, oder schalten Sie ihn aus.
failure-adapter-not-kept = Dieser Adapter ist nicht mehr in diesem Browser gespeichert. Öffnen Sie ihn aus einer Datei, oder trainieren Sie ihn erneut.
failure-adapter-incomplete = Dieser Adapter hat zwei Dateien: eine .safetensors-Datei und adapter_config.json. Wählen Sie beide zusammen aus.
failure-adapter-several-at-once = Öffnen Sie Adapter mit einer .safetensors-Datei einzeln.
failure-adapter-needs-model = Laden Sie zuerst das Modell für { $names }, und öffnen Sie dann den Adapter erneut.
failure-adapter-not-an-adapter = Das ist kein LoRA-Adapter. Wählen Sie eine .gguf-Datei oder eine .safetensors-Datei mit ihrer .json-Datei aus.
failure-adapter-config-too-large = { $file } ist zu groß für eine Adapter-Konfiguration.
failure-adapter-damaged = Die Adapterdatei ist beschädigt. Laden Sie sie erneut herunter.
failure-adapter-inconsistent = Gewichte und Konfiguration des Adapters passen nicht zusammen. Prüfen Sie, ob beide zum selben Adapter gehören, oder exportieren Sie ihn neu.
failure-adapter-architecture = Dieser Adapter ist für „{ $name }“. gemtab führt Gemma 4 und Gemma 3 aus.
failure-adapter-unsupported = Dieser Adapter nutzt eine Funktion, die nicht unterstützt wird.
failure-adapter-tensor-type = Der Tensor { $tensor } hat den Typ { $dtype }, der nicht unterstützt wird.
failure-adapter-rank = Der Adapter hat den Rang { NUMBER($rank) }. Unterstützt werden Ränge von 1 bis { NUMBER($most) }.
failure-adapter-other-model = Dieser Adapter gehört zu einem anderen Modell. Laden Sie das passende Modell, und öffnen Sie den Adapter erneut.
failure-adapter-not-finite = Der Adapter enthält ungültige Zahlen. Er ist beschädigt, oder sein Training ist fehlgeschlagen.
failure-adapter-too-many = Zu viele Adapter: Bis zu { NUMBER($most) } können geöffnet sein, mit zusammen höchstens Rang { NUMBER($ranks) }. Entfernen Sie zuerst einen.
failure-adapter-not-written = Der Adapter konnte nicht als Datei gespeichert werden. Versuchen Sie es erneut.

failure-storage-unavailable = Dieser Browser lässt die Seite keine Dateien speichern. Das ist oft in privaten Fenstern so; verwenden Sie ein normales Fenster.
failure-storage-in-use = Dieses Modell wird gerade verwendet, hier oder in einem anderen Tab. Entladen Sie es zuerst.
failure-storage-failed = Der Speicher dieses Browsers funktioniert nicht. Starten Sie den Browser neu, und versuchen Sie es erneut.
failure-storage-no-room = Das Modell konnte nicht gespeichert werden: Es braucht { $needed }, der Browser hat nur noch { $available } frei. Es wird beim nächsten Mal erneut heruntergeladen.
failure-storage-full = Das Modell konnte nicht gespeichert werden, weil der Speicher des Browsers voll ist. Es wird beim nächsten Mal erneut heruntergeladen.
failure-storage-corrupt = Der Download war beschädigt und wurde gelöscht. Laden Sie das Modell erneut.
failure-storage-damaged = Die Kopie des Modells in diesem Browser ist beschädigt. Laden Sie das Modell erneut: Nur { $bytes } werden heruntergeladen.
failure-storage-training-full = Der Speicher des Browsers ist voll: Für { $bytes } Trainingsfortschritt ist kein Platz. Schaffen Sie Platz, und setzen Sie dann fort.
failure-storage-training-in-use = Ein anderer Tab verwendet das gespeicherte Training. Schließen Sie ihn, oder machen Sie dort weiter.
failure-storage-media-full = Der Speicher des Browsers ist voll: Für { $bytes } Bilder und Audio zum Trainieren ist kein Platz. Schaffen Sie Platz, oder verwenden Sie weniger Beispiele.

failure-training-setting-rank = Der Rang muss zwischen 1 und 64 liegen.
failure-training-setting-alpha = Alpha muss größer als 0 sein.
failure-training-setting-targets = Wählen Sie mindestens einen Teil des Modells zum Trainieren aus.
failure-training-setting-steps = Mindestens 1 Schritt ist nötig.
failure-training-setting-learning-rate = Die Lernrate muss größer als 0 sein.
failure-training-setting-weight-decay = Weight Decay darf nicht negativ sein.
failure-training-setting-clipping = Die Gradientenbegrenzung darf nicht negativ sein.
failure-training-setting-dropout = Dropout muss mindestens 0 und kleiner als 1 sein.
failure-training-setting-max-tokens = Die maximale Länge eines Beispiels muss zwischen 2 Token und dem längsten Kontext des Modells liegen.
failure-training-no-target = Dieses Modell hat keinen der ausgewählten Teile. Wählen Sie andere aus.
failure-training-unsupported = Diese Art von Modell kann noch nicht trainiert werden.
failure-training-no-examples = Es gibt nichts zu lernen: Keines der Beispiele kann verwendet werden.
failure-training-all-masked = Es gibt nichts zu lernen: Die Beispiele enthalten keine Antworten des Assistenten. Ergänzen Sie zu jedem eine Antwort.
failure-training-media-lost = Die Bilder und das Audio dieser Beispiele sind nicht mehr gespeichert. Starten Sie das Training neu.
failure-training-bad-example = Ein Beispiel passt nicht zu diesem Modell.
failure-training-unstable = Das Training wurde bei Schritt { NUMBER($step) } instabil ({ $what }). Es wurde noch nichts gespeichert. Versuchen Sie eine kleinere Lernrate, ein längeres Warm-up oder eine Gradientenbegrenzung.
failure-training-unstable-saved = Das Training wurde bei Schritt { NUMBER($step) } instabil ({ $what }). Der Fortschritt bis Schritt { NUMBER($saved) } ist gespeichert. Versuchen Sie eine kleinere Lernrate, ein längeres Warm-up oder eine Gradientenbegrenzung.
failure-training-what = { $what ->
    [nan-loss] der Loss ist NaN
    [infinite-loss] der Loss ist unendlich
    *[gradient] die Gradienten sind unendlich
    }
failure-training-bad-checkpoint = Das gespeicherte Training ist beschädigt und kann nicht fortgesetzt werden. Löschen Sie es, und beginnen Sie ein neues.
failure-training-nothing-to-resume = Es gibt kein Training zum Fortsetzen.
failure-training-nothing-to-save = Es gibt kein Training zum Speichern.
failure-training-in-progress = Das Training läuft. Pausieren Sie es, oder warten Sie, bis es fertig ist.
failure-training-in-another-tab = Ein anderer Tab trainiert gerade. Pausieren Sie dort, oder warten Sie, bis er fertig ist.
failure-training-in-another-tab-named = Ein anderer Tab trainiert gerade „{ $name }“. Pausieren Sie dort, oder warten Sie, bis er fertig ist.
failure-training-for-model = Dieses Training ist für „{ $model }“. Laden Sie dieses Modell, um es fortzusetzen.
failure-training-out-of-memory = Das Training braucht { $needed } Grafikspeicher, verfügbar sind aber nur { $available }. Wählen Sie kürzere Beispiele, einen kleineren Rang oder weniger Teile, oder laden Sie das Modell mit kürzerem Kontext. Hat dieses Gerät mehr Speicher, stellen Sie in den Einstellungen ein, wie viel.
failure-training-checkpoint-too-large = Ein Checkpoint wäre { $needed } groß, die Grenze ist { $most }. Wählen Sie einen kleineren Rang oder weniger Teile.
failure-training-too-much-media = Die Bilder und das Audio brauchen { $needed }, die Grenze ist { $most }. Verwenden Sie weniger Beispiele.
failure-training-too-much-media-in-memory = Die Bilder und das Audio brauchen { $needed } Arbeitsspeicher. Die Grenze ist { $most }, weil dieser Browser keine Dateien für die Seite speichern kann. Verwenden Sie weniger Beispiele.
failure-training-engine-stopped = Die Engine wurde beendet. Der Fortschritt bis zum letzten Sicherungspunkt ist gespeichert.
failure-training-failed = Beim Trainieren ist etwas schiefgegangen. Setzen Sie es fort, oder beginnen Sie neu.

failure-engine-unexpected = In gemtab ist etwas schiefgegangen.
failure-engine-generating = Beim Erzeugen der Antwort ist etwas schiefgegangen. Versuchen Sie es erneut.
failure-engine-stopped = Die Engine wurde unerwartet beendet.
failure-engine-answer-cut = Die Engine wurde beendet, bevor die Antwort vollständig war.
failure-engine-not-started = Die Engine ist nicht innerhalb von { NUMBER($seconds) } Sekunden gestartet.
failure-engine-bad-message = Seite und Engine passen nicht zusammen. Laden Sie neu, um die Seite zu aktualisieren.
failure-engine-not-numbers = Das Modell hat ungültige Zahlen berechnet. Entweder ist seine Datei beschädigt, oder die Grafikkarte rechnet falsch. Der Selbsttest auf der Seite „Diagnose“ zeigt, was zutrifft.
failure-engine-miscomputes = Diese Grafikkarte rechnet mit gepackten Ganzzahlen falsch ({ $kernels }). gemtab verwendet stattdessen Gleitkommazahlen. Die Antworten stimmen, dauern aber etwas länger.
failure-engine-miscomputes-unloaded = Diese Grafikkarte rechnet falsch ({ $kernels }), daher wurde das Modell entladen. Aktualisieren Sie Browser und Grafiktreiber, und laden Sie das Modell erneut.

## Examples that can’t be used, behind their line

example-json-early-end = kein gültiges JSON: Die Zeile endet zu früh
example-json-text-after-end = kein gültiges JSON in Spalte { NUMBER($column) }: nach dem Ende steht noch etwas
example-json-no-value = kein gültiges JSON in Spalte { NUMBER($column) }: ein Wert fehlt
example-json-no-comma = kein gültiges JSON in Spalte { NUMBER($column) }: ein Komma oder eine schließende Klammer fehlt
example-json-no-colon = kein gültiges JSON in Spalte { NUMBER($column) }: ein Doppelpunkt fehlt
example-json-key-not-quoted = kein gültiges JSON in Spalte { NUMBER($column) }: ein Schlüssel braucht Anführungszeichen
example-json-trailing-comma = kein gültiges JSON in Spalte { NUMBER($column) }: vor einer schließenden Klammer steht ein Komma
example-json-control-character = kein gültiges JSON in Spalte { NUMBER($column) }: ein Text enthält einen Zeilenumbruch oder ein anderes Steuerzeichen
example-json-bad-escape = kein gültiges JSON in Spalte { NUMBER($column) }: eine Escape-Sequenz ist unbekannt
example-json-bad-number = kein gültiges JSON in Spalte { NUMBER($column) }: eine Zahl ist fehlerhaft
example-json-other = kein gültiges JSON in Spalte { NUMBER($column) }: etwas ist fehlerhaft
example-unknown-shape = nichts zu lernen: Eine Zeile braucht „messages“, „prompt“ und „completion“ oder „ids“ und „labels“
example-text-only = mit „text“ allein lässt sich nicht trainieren: Die Frage gehört in „prompt“, die Antwort in „completion“
example-half = „{ $found }“ ohne „{ $missing }“
example-preference = „chosen“ und „rejected“ sind für Training mit Präferenzen. Um mit den besseren Antworten zu trainieren, nennen Sie diese „completion“, und lassen Sie die anderen weg
example-single-message = das ist eine einzelne Nachricht. Alle Nachrichten eines Chats gehören in eine Zeile, in „messages“
example-joined = zwei Antworten folgen aufeinander, und nur eine davon soll trainiert werden. Dazwischen fehlt eine Nachricht des Benutzers
example-replaced = enthält „�“, wo Zeichen verloren gingen. Wählen Sie eine andere Codierung, oder speichern Sie die Datei als UTF-8
example-plain-text = das sieht nach reinem Text aus. Nötig ist ein JSON-Objekt pro Zeile oder eine Tabelle, die mit Spaltennamen wie „prompt,completion“ beginnt
example-field-empty = „{ $field }“ ist leer
example-field-not-text = „{ $field }“ ist kein Text
example-field-not-a-list = „{ $field }“ ist keine Liste
example-field-not-integers = „{ $field }“ enthält etwas anderes als ganze Zahlen
example-field-no-flag = „{ $field }“ muss 0 oder 1, true oder false sein
example-field-unknown-rule = „{ $field }“ sagt, was trainiert werden soll, aber gemtab kennt das nicht. Verwenden Sie stattdessen „weight“ (0 oder 1) in den Antworten
example-field-not-of-model = „{ $field }“ verlangt, mit einer Nachricht zu trainieren, die nicht vom Assistenten ist
example-field-left-out = laut „{ $field }“ soll mit dieser Zeile nicht trainiert werden
example-field-no-file-names = „{ $field }“ nennt keine Dateien
example-field-malformed = „{ $field }“ hat nicht den erwarteten Aufbau
example-role = unbekannte Rolle „{ $role }“: möglich sind system, user und assistant
example-empty-cell = die Spalte „{ $column }“ ist leer
example-quotes = ein Anführungszeichen steht nicht am Anfang oder Ende einer Zelle. Setzen Sie die ganze Zelle in Anführungszeichen und verdoppeln Sie die inneren
example-cells = die Zeile hat { NUMBER($cells) } Zellen, die Tabelle aber { NUMBER($columns) } Spalten. Setzen Sie Texte, die das Trennzeichen enthalten, in Anführungszeichen
example-too-few-columns = die Tabelle hat weniger als zwei Spalten
example-no-column = es gibt keine Spalte „{ $column }“; vorhanden sind: { $columns }
example-video = mit Videos lässt sich nicht trainieren, nur mit Bildern und Audio
example-no-file-name-sight = bei einem Bild fehlt der Dateiname
example-no-file-name-hearing = bei einer Audiodatei fehlt der Dateiname
example-places = die Zahl der Platzhalter ({ NUMBER($places) }) und die der genannten Dateien ({ NUMBER($named) }) stimmen nicht überein
example-missing-file = die Datei „{ $name }“ fehlt
example-bad-file = die Datei „{ $name }“ kann nicht verwendet werden. { $why }
example-lacks-sight = dieses Modell unterstützt keine Bilder
example-lacks-hearing = dieses Modell unterstützt kein Audio
example-media-mismatch = Bilder und Audio passen nicht zu ihren Platzhaltern
example-no-token = dem Modell fehlt das Token { $token }
example-no-id = { $id } ist kein Token dieses Modells, das { NUMBER($vocabulary) } hat
example-labels = „ids“ und „labels“ sind verschieden lang: { NUMBER($ids) } und { NUMBER($labels) }
example-too-long = zu lang: { NUMBER($tokens) } Token, die Grenze ist { NUMBER($limit) }
example-too-large = zu groß: { $bytes }, die Grenze ist { $limit }
example-all-masked = nichts zu lernen: Es enthält keine Antwort zum Trainieren
example-too-many = ab hier übersprungen: Die Grenze ist { NUMBER($limit) } Zeilen

## Kernels that compute wrongly, behind their name

kernel-differs = Element { NUMBER($element) } ist { $found } statt { $expected }
kernel-refused = vom Browser abgelehnt

## The page's own server

server-no-browser = Hier gibt es keinen Browser.
server-silent = Der Server hat nicht geantwortet.
server-status = Der Server hat mit Status { $status } geantwortet.
server-unreadable = Die Antwort des Servers ist nicht lesbar: { $reason }.
store-closed = Der Speicher des Browsers ist noch nicht bereit. Versuchen Sie es erneut.

## Conversations that can’t be read, saved, changed or imported

store-full = Der Speicher dieses Browsers ist voll. Löschen Sie gespeicherte Modelle oder alte Unterhaltungen.
store-full-conversations = Der Speicher dieses Browsers ist voll. Löschen Sie alte Unterhaltungen.
store-unavailable = Dieser Browser lässt die Seite nichts speichern. Bei privaten Fenstern ist das oft so; verwenden Sie ein normales Fenster.
store-blocked = In einem anderen Tab ist eine ältere Version dieser Seite geöffnet. Schließen Sie ihn, und laden Sie neu.
store-broken = Etwas in diesem Browser Gespeichertes ist beschädigt und nicht lesbar.
store-newer = Etwas in diesem Browser Gespeichertes stammt von einer neueren Version von gemtab. Laden Sie neu, um die Seite zu aktualisieren.
import-end = Die Datei ist unvollständig: Sie endet in Zeile { NUMBER($line) }.
import-syntax = Die Datei ist kein gültiges JSON: In Zeile { NUMBER($line) }, Spalte { NUMBER($column) } steckt ein Fehler.
import-data = Die Datei ist kein Export von gemtab: In Zeile { NUMBER($line) }, Spalte { NUMBER($column) } steht etwas anderes.
import-format = Die Datei ist kein Export aus gemtab, ChatGPT, Claude, Open WebUI oder LM Studio.
import-zip = Das ist eine ZIP-Datei. Entpacken Sie sie, und importieren Sie die darin enthaltene conversations.json.
import-version = Die Datei stammt von einer neueren Version von gemtab. Laden Sie neu, um die Seite zu aktualisieren, und importieren Sie die Datei erneut.
import-conversation = Die Unterhaltung „{ $title }“ in dieser Datei ist beschädigt.
import-message = Eine Nachricht der Unterhaltung „{ $title }“ hat { $size }, erlaubt sind höchstens { $most }.
import-attachment = Ein Anhang in dieser Datei ist beschädigt.
tree-gone = Die Nachricht ist nicht mehr da.
tree-other = Mit dieser Nachricht geht das nicht.
tree-full = Diese Unterhaltung ist voll. Beginnen Sie eine neue.

## Models of the server that can’t be used

# Begins a sentence.
catalog-part = { $part ->
    [manifest] Das Manifest des Modells
    [model] Die Modelldatei
    [projector] Die Datei für Bilder und Ton
    [adapter] Die Adapterdatei
    [drafter] Die Drafterdatei
    *[file] Die Datei
    }
catalog-pull = Führen Sie im Terminal aus: ollama pull { $model }
catalog-manifest = Das Manifest des Modells ist beschädigt.
catalog-unreadable-gone = { $part } fehlt.
catalog-unreadable-forbidden = { $part } ist nicht lesbar: Dem Server fehlt die Berechtigung.
catalog-unreadable-other = { $part } ist nicht lesbar.
catalog-too-large = { $part } ist zu groß: { $size }.
catalog-remote = Dieses Modell läuft auf den Servern von Ollama. Hier gibt es nichts zu laden.
catalog-safetensors = Dieses Modell liegt im Safetensors-Format vor. gemtab liest nur GGUF.
catalog-no-model = Das Manifest des Modells nennt keine Modelldatei.
catalog-split = Dieses Modell ist auf { NUMBER($parts) } Dateien verteilt. gemtab liest nur Modelle aus einer einzigen Datei.
catalog-adapter = Das ist ein LoRA-Adapter. Laden Sie zuerst das zugehörige Modell, und öffnen Sie dann den Adapter in einer Unterhaltung.
catalog-too-many-prompts = In der Liste der Modelle ist kein Platz mehr für den Systemprompt dieses Modells. Entfernen Sie andere Modelle aus Ollama, und laden Sie neu.
catalog-missing = { $part } fehlt.
catalog-unfinished = Der Download ist noch nicht abgeschlossen.
catalog-wrong-size = { $part } hat { $found } statt { $expected }.
catalog-escape = Dieser Link zeigt aus seinem Ordner hinaus. Um ihn zu verwenden, starten Sie gemtab mit --models und dem Zielordner.
catalog-truncated = Die Datei ist unvollständig. Laden Sie sie erneut herunter.
catalog-folder-missing = (nicht gefunden)
catalog-folder-unreadable = (nicht lesbar)
catalog-full-folder = { $folder } enthält mehr Modelle, als in die Liste passen. Nur die ersten { NUMBER($shown) } werden angezeigt.
catalog-full-list = Die Liste ist zu lang: { $count ->
    [one] 1 weiteres Modell wird nicht angezeigt.
    *[other] { $count } weitere Modelle werden nicht angezeigt.
    }

## Warum der Server ein Modell nicht herunterlädt

pull-name = Das sieht nicht nach dem Namen eines Modells aus. Versuchen Sie gemma4:e2b oder hf.co/EIGENTÜMER/REPOSITORY:Q4_K_M.
pull-host = „{ $host }“ ist kein Hostname. Prüfen Sie ihn auf Tippfehler.
pull-no-owner = Modelle auf { $host } heißen { $host }/EIGENTÜMER/REPOSITORY:Q4_K_M.
pull-plain-http = Der Server lädt nur über verschlüsselte Verbindungen herunter. Lassen Sie „http://“ weg.
pull-not-offered = Der Server lädt für Besucher von anderen Rechnern keine Modelle herunter. Starten Sie ihn mit --allow-pull, um das zu erlauben.
pull-registry = Der Server lädt nichts von { $host } herunter. Starten Sie ihn mit --pull-from { $host }, um das zu erlauben.
pull-busy = { $model } wird gerade heruntergeladen. Warten Sie, bis das fertig ist, oder halten Sie es an.
pull-late = Die Anfrage kam zu langsam beim Server an. Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.
pull-tls = Der Server kann HTTPS nicht verwenden. Installieren Sie dort Zertifikate: unter Debian und Ubuntu das Paket ca-certificates.
pull-network = { $host } ist nicht erreichbar. Prüfen Sie die Internetverbindung des Servers.
pull-certificate = { $host } konnte nicht nachweisen, der richtige Server zu sein. Falls ein Proxy in Ihrem Netz Verbindungen entschlüsselt, installieren Sie sein Zertifikat auf dem Server.
pull-no-such-model = Auf { $host } gibt es kein Modell namens { $model }. Prüfen Sie den Namen auf Tippfehler.
pull-private = { $host } gibt { $model } nur mit einem Konto heraus oder hat es nicht. Nur öffentliche Modelle lassen sich herunterladen.
pull-status = Bei { $host } gibt es ein Problem (Status { $status }). Versuchen Sie es später erneut.
pull-redirect = { $host } führt zu einer unsicheren Adresse. Es wurde nichts heruntergeladen.
pull-manifest = { $host } beschreibt dieses Modell so, dass gemtab nichts damit anfangen kann.
pull-pieces = Dieses Modell ist auf { NUMBER($files) } Dateien verteilt. gemtab braucht eine GGUF-Datei.
pull-quantization = Dieses Modell gibt es nicht als { $wanted }. Es gibt: { $there }
pull-wrong-length = { $host } hat eine Datei von falscher Größe geschickt. Versuchen Sie es später erneut.
pull-wrong-digest = Die Datei von { $host } ist beschädigt und wurde gelöscht. Versuchen Sie es erneut. Wenn es wieder passiert, verändert etwas die Datei unterwegs.
pull-no-room = Auf dem Server ist nicht genug Platz: { $needed } werden gebraucht, { $free } sind frei in { $folder }.
pull-full = Der Datenträger des Servers ist voll: { $needed } fehlen noch, { $free } sind frei in { $folder }. Die unfertige Datei wurde gelöscht.
pull-disk = Der Server kann { $path } nicht lesen oder schreiben. Prüfen Sie die Berechtigungen.
pull-locked = Ein anderes Programm lädt dieselbe Datei in diesen Ordner herunter. Warten Sie, bis es fertig ist, oder halten Sie es an.
pull-begun-by-ollama = Ollama hat schon begonnen, dieses Modell herunterzuladen. Schließen Sie das mit „ollama pull“ ab.
pull-vanished = Eine heruntergeladene Datei ist wieder weg: Ollama löscht beim Start Dateien, die zu keinem Modell gehören. Versuchen Sie es erneut.
pull-part = { $file } passt nicht zu den anderen Teilen des Modells.

## Dokumente

document-show = { $name } anzeigen
document-text = Text
document-reading = Das Dokument wird gelesen
document-previous = Vorheriger Teil
document-next = Nächster Teil
document-page = Seite { NUMBER($number) }
document-chapter = Kapitel { NUMBER($number) }
document-line = Zeile { NUMBER($number) }
document-lines = Zeilen { NUMBER($first) } bis { NUMBER($last) }
document-row = Tabellenzeile { NUMBER($number) }
document-rows = Tabellenzeilen { NUMBER($first) } bis { NUMBER($last) }
document-paragraph = Absatz { NUMBER($number) }
document-paragraphs = Absätze { NUMBER($first) } bis { NUMBER($last) }
document-page-count = { $count ->
    [one] 1 Seite
    *[other] { $count } Seiten
    }
document-chapter-count = { $count ->
    [one] 1 Kapitel
    *[other] { $count } Kapitel
    }
document-line-count = { $count ->
    [one] 1 Zeile
    *[other] { $count } Zeilen
    }
document-row-count = { $count ->
    [one] 1 Tabellenzeile
    *[other] { $count } Tabellenzeilen
    }
document-paragraph-count = { $count ->
    [one] 1 Absatz
    *[other] { $count } Absätze
    }
about-tokens = { $size } · etwa { $tokens ->
    [one] 1 Token
    *[other] { $tokens } Tokens
    }
cited-page = S. { NUMBER($number) }
cited-chapter = Kap. { NUMBER($number) }
cited-line = Zeile { NUMBER($number) }
cited-row = Zeile { NUMBER($number) }
cited-paragraph = Abs. { NUMBER($number) }
citation-open = { $name } öffnen, { $place }
given-pages = Das Modell hat { NUMBER($given) } von { NUMBER($of) } Seiten von { $name } bekommen.
given-chapters = Das Modell hat { NUMBER($given) } von { NUMBER($of) } Kapiteln von { $name } bekommen.
given-passages = Das Modell hat { NUMBER($given) } von { NUMBER($of) } Abschnitten von { $name } bekommen.
documents-choosing = Passende Stellen werden ausgewählt
attach-reading-share = { $name } wird gelesen, { NUMBER($percent) } %
pasted-file = Eingefügter Text.txt
pasted-long = Der lange Text wurde als Dokument angehängt.
paste-as-text = Als Text einfügen
document-some-scanned = { $pages ->
    [one] 1 Seite ist ein Bild, dessen Text nicht gelesen werden kann.
    *[other] { $pages } Seiten sind Bilder, deren Text nicht gelesen werden kann.
    }
document-scanned = Dieses PDF enthält keinen Text, nur Bilder von Seiten. Führen Sie eine Texterkennung durch, oder hängen Sie Bilder der Seiten an.
document-blank = Diese Datei enthält keinen Text. Wählen Sie eine andere.
document-too-large = Zu groß: { $size }, höchstens { $limit } sind möglich. Teilen Sie die Datei, und hängen Sie den Teil an, den Sie brauchen.
document-expands = Diese Datei braucht zu viel Speicher zum Lesen. Speichern Sie den Teil, den Sie brauchen, als eigene Datei, und hängen Sie diese an.
document-too-many-pages = Zu lang: { NUMBER($pages) } Seiten, höchstens { NUMBER($limit) } sind möglich. Teilen Sie die Datei, und hängen Sie den Teil an, den Sie brauchen.
document-encrypted = Diese Datei braucht ein Passwort. Speichern Sie eine Kopie ohne Passwort, und hängen Sie diese an.
document-unsupported = Nur Bilder, Audio, Video, Text, PDF, Word und EPUB lassen sich anhängen. Speichern Sie die Datei in einem dieser Formate, und hängen Sie sie dann an.
document-damaged = Diese Datei ist beschädigt. Speichern Sie sie mit dem Programm neu, das sie erstellt hat, und hängen Sie sie dann an.
document-missing = Der Dokumentleser ließ sich nicht laden. Prüfen Sie Ihre Verbindung, und versuchen Sie es dann erneut.
document-crashed = Diese Datei ließ sich nicht lesen. Speichern Sie sie neu oder als reinen Text, und hängen Sie sie dann an.
document-too-long = Das Lesen hat zu lange gedauert und wurde beendet. Speichern Sie den Teil, den Sie brauchen, als eigene Datei, und hängen Sie diese an.

## Presets und Prompts

presets-title = Presets
presets-hint = Ein Preset ersetzt die Anweisungen und Einstellungen dieser Unterhaltung durch seine eigenen. Spätere Änderungen daran lassen die Unterhaltung unverändert. Anweisungen eines Ordners kommen immer zuerst.
preset-word = Preset
preset-new = Neues Preset
preset-of-this = Neu aus dieser Unterhaltung
preset-leave = Kein Preset verwenden
preset-choose = Preset auswählen
preset-of = Preset: { $name }
preset-taken = Das Preset „{ $name }“ ist aktiv.
preset-left = Kein Preset ist aktiv.
preset-icon = Symbol
preset-model = Modell
preset-adapter = Adapter
preset-unchanged = Nicht ändern
preset-sampling = Eigenes Sampling
preset-sampling-hint = Sonst gelten die Vorgaben des Modells.
preset-no-model = { $name } ist nicht in der Liste der Modelle. Das Modell bleibt, wie es ist.
preset-no-adapter = Der Adapter „{ $name }“ ist für dieses Modell nicht verfügbar. Die Adapter bleiben, wie sie sind.
icon-chat = Sprechblase
icon-pencil = Stift
icon-code = Code
icon-document = Dokument
icon-bulb = Glühlampe
icon-magnifier = Lupe
icon-picture = Bild
icon-chart = Diagramm
prompts-title = Prompts
prompts-hint = Geben Sie / in eine leere Nachricht ein, um einen Prompt einzufügen.
prompts-manage = Alle Prompts…
prompts-found = { $count ->
    [one] 1 Prompt.
    *[other] { $count } Prompts.
    }
prompt-word = Prompt
prompt-new = Neuer Prompt
prompt-text = Text
prompt-hint = { $variable } steht für etwas, das Sie ausfüllen.
prompt-fill = Prompt ausfüllen
prompt-insert = Einfügen
named-edit = Bearbeiten
named-deleted = „{ $name }“ gelöscht.
named-export-all = Presets und Prompts exportieren
named-file = gemtab-presets.json
named-imported = Importierte Presets: { NUMBER($presets) }, Prompts: { NUMBER($prompts) }. Schon vorhanden: { NUMBER($known) }.
presets-format = Die Datei enthält keine Presets oder Prompts von gemtab.
presets-too-many = Die Datei enthält { NUMBER($count) } Presets und Prompts, importiert werden höchstens { NUMBER($most) }.
presets-text = Der Text von „{ $name }“ ist { $size } groß, die Grenze ist { $most }.
presets-sampling = Das Preset „{ $name }“ hat eine Sampling-Einstellung außerhalb des erlaubten Bereichs.
chip-temperature = Temperatur { $number }
chip-context = Kontext { NUMBER($tokens) }
chip-longest = Bis zu { NUMBER($tokens) } Token
