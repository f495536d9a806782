# One message a line, grouped by page and component. Sentences as a person would say them.

language-name = العربية
# Which way its lines run: ltr or rtl.
language-direction = rtl
# How the server separates digits; browsers know it.
number-group = ,
number-decimal = .

## Words of several places

brand = gemtab
reload = إعادة التحميل
new-build = يتوفر إصدار جديد من gemtab.

## The document, before the page lives

shell-description = دردش مع Gemma 4 في علامة تبويب في متصفحك، وعلى بطاقة الرسوميات لديك.
boot-slow = لا يزال التحميل جاريًا. يمكنك البدء في الكتابة.
boot-failed = تعذّر تشغيل الصفحة. تحقق من اتصالك، ثم أعد التحميل.
boot-no-script = يحتاج gemtab إلى JavaScript. فعّله، ثم أعد التحميل.
later-loading = جارٍ التحميل…
later-missing = تعذّر تحميل هذا الجزء من الصفحة. تحقق من اتصالك، ثم أعد المحاولة. لم تفقد أي شيء.

## Units and amounts

unit-b = { $number } بايت
unit-kb = { $number } ك.ب
unit-mb = { $number } م.ب
unit-gb = { $number } غ.ب
unit-tb = { $number } ت.ب
unit-s = { $number } ث
unit-min = { $number } د
unit-percent = { $number }٪
unit-rate = { $number } رمز/ث
time-min-s = { $minutes } د { $seconds } ث
time-h-min = { $hours } س { $minutes } د
amount-of = { $part } من { $whole }
two-sentences = { $first } { $second }
two-items = { $first }، { $second }

## Settings

settings-title = الإعدادات
settings-licenses = تراخيص الجهات الخارجية
settings-appearance = المظهر ولوحة المفاتيح
settings-theme = المظهر
settings-theme-system = مطابقة النظام
settings-theme-light = فاتح
settings-theme-dark = داكن
settings-language = اللغة
settings-language-browser = مطابقة المتصفح
settings-sending = الإرسال عبر
settings-send-enter = Enter (وShift+Enter لسطر جديد)
settings-send-modified = Ctrl+Enter أو ⌘ Enter (وEnter لسطر جديد)
settings-single-keys = اختصارات المفتاح الواحد
settings-single-keys-hint = اضغط على / للانتقال إلى حقل الرسالة، وعلى ? لعرض كل الاختصارات. أوقف هذا الخيار إذا كنت تستخدم الإدخال الصوتي.
settings-show-steps = عرض خطوات الانتشار
settings-show-steps-hint = شاهد النص وهو يستقر عندما يجيب نموذج انتشار. أوقف هذا الخيار لعرض النص المكتمل فقط.
settings-drafts = فك الترميز التخميني
settings-drafts-hint = يسرّع معظم الإجابات. يخمّن المحرك عدة رموز مسبقًا، باستخدام نموذج التخمين أو النص المتكرر، ثم يتحقق منها دفعة واحدة. ويتوقف عن التخمين إذا لم يكن أسرع.
settings-drafts-automatic = عند وجود نموذج تخمين
settings-drafts-always = دائمًا
settings-drafts-never = أبدًا
settings-memory = ذاكرة الرسوميات
settings-memory-hint = يسري عند تحميل النموذج التالي.
settings-memory-amount = الذاكرة المتاحة للنماذج
settings-memory-amount-hint = لا تذكر المتصفحات مقدار الذاكرة. وإذا احتاج نموذج إلى أكثر من ذلك، يفعّل gemtab الخيارات أدناه تلقائيًا.
settings-memory-automatic = تلقائي
settings-memory-automatic-of = تلقائي ({ $size })
settings-memory-loaded = لا يزال { $model } محمّلًا بالإعدادات السابقة.
settings-cache-in-eight-bits = ذاكرة KV بدقة 8 بت
settings-cache-in-eight-bits-hint = تشغل المحادثات نحو نصف الذاكرة. قد تختلف الإجابات قليلًا.
settings-table-in-eight-bits = تضمينات الطبقات بدقة 8 بت
settings-table-in-eight-bits-hint = لملفات E2B وE4B ذات التضمينات بدقة 16 بت. يخفض الذاكرة التي تشغلها إلى النصف، ولا تكاد الإجابات تتغير.
settings-new = المحادثات الجديدة
settings-new-hint = يمكنك تغيير هذه الإعدادات لكل محادثة.
settings-instructions = تعليمات مخصصة
settings-none = لا توجد
settings-think = التفكير قبل الإجابة
settings-context = طول السياق
settings-context-hint = بالرموز (tokens). كلما طال السياق زادت ذاكرة الرسوميات المطلوبة.
settings-context-default = الافتراضي
settings-sampling-model = يتبع أخذ العينات الإعدادات الافتراضية لكل نموذج.
settings-sampling-set = تخصيص لكل النماذج
settings-sampling = أخذ العينات لكل النماذج
settings-sampling-reset = استعادة الإعدادات الافتراضية لكل نموذج
settings-voice = الصوت
settings-read-aloud = قراءة الإجابات بصوت عالٍ
settings-read-aloud-hint = تُقرأ كل جملة فور كتابتها. لا يُقرأ التفكير ولا الكود ولا الجداول ولا الصيغ.
settings-voice-choice = الصوت
settings-voice-automatic = الصوت الافتراضي للغة النص
settings-voice-remote = { $count ->
    [one] استُبعد صوت واحد لأنه يرسل النص
    [two] استُبعد صوتان لأنهما يرسلان النص
    [few] استُبعدت { $count } أصوات لأنها ترسل النص
    [many] استُبعد { $count } صوتًا لأنها ترسل النص
    *[other] استُبعد { $count } صوت لأنها ترسل النص
    } إلى خارج هذا الجهاز.
settings-voice-none = لا توجد أصوات محلية على هذا الجهاز.
settings-rate = السرعة
settings-storage = المحفوظ في هذا المتصفح
settings-keep = حفظ النماذج
settings-keep-hint = يحتفظ بنسخة من كل نموذج في هذا المتصفح، حتى لا يلزم تنزيله من الخادم مرة أخرى.
settings-caches = حفظ ما قرأته النماذج
settings-caches-hint = يحتفظ بذاكرة KV لآخر أربع محادثات في هذا المتصفح. وبذلك لا تحتاج النماذج إلى قراءة محادثة من جديد عند إعادة فتحها. لا تُحفظ المحادثات المؤقتة أبدًا.
settings-caches-kept = { $count ->
    [one] ذاكرة KV لمحادثة واحدة: { $size }
    [two] ذاكرة KV لمحادثتين: { $size }
    [few] ذاكرة KV لـ { $count } محادثات: { $size }
    [many] ذاكرة KV لـ { $count } محادثة: { $size }
    *[other] ذاكرة KV لـ { $count } محادثة: { $size }
    }
settings-caches-none = لم تُحفظ أي ذاكرة KV بعد.
settings-caches-delete = حذف ذواكر KV
settings-conversations = { $count ->
    [one] محادثة واحدة
    [two] محادثتان
    [few] { $count } محادثات
    [many] { $count } محادثة
    *[other] { $count } محادثة
    } في هذا المتصفح.

## Words of several places, continued

close = إغلاق
save = حفظ
cancel = إلغاء
delete = حذف
undo = تراجع
not-now = ليس الآن
try-again = إعادة المحاولة
untitled = بلا عنوان
choose-model = اختيار نموذج
other-model = اختيار نموذج آخر
use-memory = استخدام { $size } من ذاكرة النظام
media-gone = لم يعد في هذا المتصفح
save-raw = حفظ البيانات الخام
export-file = gemtab-conversations.json

## Places

place-new = محادثة جديدة
place-conversation = محادثة
place-models = النماذج
place-tune = الضبط الدقيق
place-settings = الإعدادات
place-diagnostics = التشخيص
place-unknown = الصفحة غير موجودة
age-today = اليوم
age-yesterday = أمس
age-week = آخر 7 أيام
age-earlier = أقدم
not-found = لا يوجد شيء على هذا العنوان.
page-title = { $page } · gemtab

## The frame around every page

frame-drop-examples = أفلت الأمثلة هنا، مع ما يخصها من صور وملفات صوتية
frame-drop = أفلت الملفات أو نموذجًا هنا
frame-skip = الانتقال إلى المحتوى الرئيسي
frame-test-mode = وضع الاختبار
frame-simulated = محرك محاكاة
frame-drop-elsewhere = لا يمكن إرفاق الملفات إلا بمحادثة. افتح محادثة وأفلتها هناك.
model-replaced = حمّلت علامة تبويب أخرى { $name }.
model-ready = { $name } جاهز.
model-not-loaded = تعذّر تحميل { $name }. { $reason }
search-found = { $count ->
    [0] لم يُعثر على أي محادثة.
    [one] عُثر على محادثة واحدة.
    [two] عُثر على محادثتين.
    [few] عُثر على { $count } محادثات.
    [many] عُثر على { $count } محادثة.
    *[other] عُثر على { $count } محادثة.
    }

## The graphics device, and how to get it

advice-origin = لا تسمح المتصفحات باستخدام WebGPU إلا على العناوين الآمنة، و{ $origin } ليس منها.
advice-local = على الكمبيوتر الذي يعمل عليه الخادم، افتح `{ $address }`.
advice-https = لاستخدام كمبيوتر آخر، قدّم الصفحة عبر HTTPS أو أعد توجيه المنفذ عبر SSH.
advice-in = في { $browser }:
advice-title = تفعيل تسريع الرسوميات
device-none = لا توجد بطاقة رسوميات
device-no-webgpu = WebGPU غير متاح، لذا لا يمكن تشغيل النماذج هنا.
device-nothing-lost = لا يزال بإمكانك قراءة محادثاتك.
device-slow = لا تُستخدم بطاقة رسوميات
device-software = لا تُستخدم بطاقة رسوميات.
device-software-named = لا تُستخدم بطاقة رسوميات ({ $name }).
device-software-hint = يعمل النموذج التجريبي ببطء. والنماذج الأكبر أبطأ من أن تُستخدم.
device-how = كيفية استخدام بطاقة الرسوميات
too-slow = حجم { $name } هو { $size }. من دون بطاقة رسوميات، قد تستغرق كل كلمة من الإجابة دقائق.
too-slow-title = لا تُستخدم بطاقة رسوميات
unlikely-title = الأرجح أن الذاكرة لن تتسع لهذا النموذج
unlikely = يحتاج { $name } إلى ذاكرة رسوميات تزيد بنحو { $missing } على ما يبدو متوفرًا في هذه البطاقة. قد يفشل تحميله.
too-slow-load = تحميل على أي حال
failure-title = حدث خطأ ما
use-context = استخدام سياق من { $tokens ->
    [one] رمز واحد
    [two] رمزين
    [few] { $tokens } رموز
    [many] { $tokens } رمزًا
    *[other] { $tokens } رمز
    }
reload-page = إعادة تحميل الصفحة
webgpu-how = كيفية تفعيله
see-saved = عرض النماذج المحفوظة
field-range = يجب أن تكون القيمة بين { $min } و{ $max }.
sampling-temperature = درجة الحرارة
sampling-temperature-hint = القيمة 0 تختار دائمًا الرمز الأرجح.
sampling-top-k = Top-k
sampling-top-k-hint = يقتصر الاختيار على هذا العدد من الرموز الأرجح؛ و0 لكل الرموز.
sampling-top-p = Top-p
sampling-min-p = Min-p
sampling-repeat = عقوبة التكرار
sampling-repeat-hint = القيمة 1 توقفها.
sampling-presence = عقوبة الظهور
sampling-frequency = عقوبة التواتر
sampling-seed = البذرة
sampling-seed-hint = البذرة نفسها تعطي الإجابة نفسها.
sampling-seed-random = عشوائية
load-starting = جارٍ البدء
load-engine = جارٍ تشغيل المحرك…
load-title = جارٍ تحميل نموذج
load-of = جارٍ تحميل { $name }
memory-words = لا تتسع ذاكرة الرسوميات لنموذج { $name }. سيحتاج أيضًا إلى { $size } من ذاكرة النظام، حتى تغلق علامة التبويب أو تحمّل نموذجًا آخر. ستكون الإجابات أبطأ.
memory-title = يحتاج هذا النموذج إلى ذاكرة أكبر
model-needs-webgpu = يحتاج إلى WebGPU
model-out-of-reach = غير محفوظ في هذا المتصفح
model-demo = تجريبي
model-file = ملف
model-diffusion = انتشار
model-diffusion-about = يكتب كتلة كاملة من النص دفعة واحدة، ثم يحسّنها على خطوات.
model-continues = يكمل النص
model-continues-about = لم يُدرَّب على المحادثات: يكمل النص الذي تكتبه.
model-demo-about = نموذج تجريبي مدمج وصغير جدًا، لتجربة الصفحة بعمليات حسابية وقوائم ومعلومات بسيطة.
model-loaded = محمّل
model-load = تحميل
model-recommended = موصى به
models-looking = جارٍ البحث عن النماذج…
models-offline = تعذّر الوصول إلى الخادم. لا تزال النماذج المحفوظة في هذا المتصفح تعمل.
models-none = لم يعثر الخادم على أي نموذج. بحث في:
models-pull = نزّل نموذجًا باستخدام { $command }، أو افتح ملف GGUF لديك.
models-get = نزّل نموذجًا من «الحصول على نموذج» في صفحة النماذج، أو افتح ملف GGUF لديك.
palette-title = البحث والأوامر
palette-placeholder = ابحث في المحادثات والنماذج والصفحات والأوامر…
palette-results = النتائج
palette-none = لا توجد نتائج
palette-action = أمر
palette-drawer = إعدادات المحادثة
drawer-changed = إعدادات المحادثة (معدّلة)
palette-stop = إيقاف الإجابة
palette-think = التفكير قبل الإجابة
palette-think-off = الإجابة من دون تفكير
palette-export-json = تصدير هذه المحادثة بتنسيق JSON
palette-export-markdown = تصدير هذه المحادثة بتنسيق Markdown
palette-export-html = تصدير هذه المحادثة بتنسيق HTML
palette-print = طباعة هذه المحادثة أو حفظها بتنسيق PDF
palette-duplicate = تكرار هذه المحادثة
shortcuts-title = اختصارات لوحة المفاتيح
palette-import = استيراد محادثات
palette-light = استخدام المظهر الفاتح
palette-dark = استخدام المظهر الداكن
palette-system = مطابقة مظهر النظام
palette-place = صفحة
palette-model = نموذج
open-file = فتح ملف…
model-files = ملفات النماذج
picked-title = المفتوحة حديثًا
picked-files = { $count ->
    [one] ملف واحد
    [two] ملفان
    [few] { $count } ملفات
    [many] { $count } ملفًا
    *[other] { $count } ملف
    } · { $size }
picked-open = فتح
picked-open-of = فتح { $name }
picked-open-anyway = فتح على أي حال
picked-open-anyway-of = فتح على أي حال: { $name }
picked-forget = إزالة من هذه القائمة
picked-forget-of = إزالة من هذه القائمة: { $name }
picked-forgotten = لم يعد { $name } في القائمة. يبقى الملف في مكانه.
picked-not-allowed = يحتاج المتصفح إلى إذنك لقراءة { $name }. افتحه مرة أخرى، واسمح بذلك عند سؤالك.
picked-gone = تعذّر العثور على { $name }. لقد نُقل أو حُذف أو تغيّر اسمه. اختره من «فتح ملف…».
picked-changed = تغيّر { $name } منذ أن فتحته آخر مرة.
picked-unreadable = لا يمكن للمتصفح قراءة { $name }. اختره من «فتح ملف…».
picture-show = عرض { $name }

## The rail of conversations

rail-title = المحادثات والصفحات
rail-new = جديد
rail-fold = إخفاء الشريط الجانبي
rail-width = عرض الشريط الجانبي
rail-steps = { NUMBER($step) } من { NUMBER($steps) }
rail-conversations = المحادثات
rail-places = الصفحات
rail-private = لا يغادر هذا المتصفح أي شيء تكتبه.
rail-private-but-tools = يبقى ما تكتبه في هذا المتصفح، باستثناء ما تسمح للأدوات بإرساله.
rail-search = بحث
rail-search-label = البحث في المحادثات
rail-all = تنظيم المحادثات
rail-export-all = تصدير الكل
rail-import = استيراد…
import-too-large = حجم هذا الملف { $size }، لكن الحد الأقصى للاستيراد { $most }.
import-failed = لم يُستورد أي شيء. { $reason }
import-empty = لا توجد محادثات في الملف.
import-known = { $count ->
    [one] هذه المحادثة موجودة هنا بالفعل.
    [two] المحادثتان موجودتان هنا بالفعل.
    [few] المحادثات كلها ({ $count }) موجودة هنا بالفعل.
    [many] المحادثات كلها ({ $count }) موجودة هنا بالفعل.
    *[other] المحادثات كلها ({ $count }) موجودة هنا بالفعل.
    } لم يُستورد أي شيء.
import-added = { $count ->
    [one] استُوردت محادثة واحدة.
    [two] استُوردت محادثتان.
    [few] استُوردت { $count } محادثات.
    [many] استُوردت { $count } محادثة.
    *[other] استُوردت { $count } محادثة.
    }
import-merged = { $count ->
    [one] حُدّثت محادثة واحدة.
    [two] حُدّثت محادثتان.
    [few] حُدّثت { $count } محادثات.
    [many] حُدّثت { $count } محادثة.
    *[other] حُدّثت { $count } محادثة.
    }
import-already = الموجود هنا بالفعل: { NUMBER($count) }.
rail-nothing-found = لا توجد نتائج
rail-empty = ستظهر محادثاتك هنا، وتبقى في هذا المتصفح.
rail-unreadable = تتعذّر قراءتها
rail-actions = إجراءات «{ $title }»
rail-answering = قيد الإجابة
rail-rename = إعادة التسمية
rail-duplicate = تكرار
rail-export-json = تصدير بتنسيق JSON
rail-export-markdown = تصدير بتنسيق Markdown
rail-export-html = تصدير بتنسيق HTML
rail-print = طباعة أو حفظ بتنسيق PDF
rail-new-title = عنوان جديد
export-unreadable = { $count ->
    [one] تعذّرت قراءة محادثة واحدة، وهي ليست في الملف.
    [two] تعذّرت قراءة محادثتين، وهما ليستا في الملف.
    [few] تعذّرت قراءة { $count } محادثات، وهي ليست في الملف.
    [many] تعذّرت قراءة { $count } محادثة، وهي ليست في الملف.
    *[other] تعذّرت قراءة { $count } محادثة، وهي ليست في الملف.
    }
export-failed = تعذّر التصدير. { $reason }

## Order: folders, pins, archive, selecting several

rail-pinned = المثبّتة
rail-archived = المؤرشفة
rail-count = { NUMBER($count) }
rail-more = عرض المزيد
rail-pin = تثبيت
rail-unpin = إلغاء التثبيت
rail-archive = أرشفة
rail-unarchive = إلغاء الأرشفة
rail-move = نقل إلى مجلد…
rail-select = تحديد
rail-select-several = تحديد عدة محادثات
rail-new-folder = مجلد جديد…
rail-new-temporary = محادثة مؤقتة جديدة
archived = { $count ->
    [one] أُرشفت المحادثة.
    [two] أُرشفت محادثتان.
    [few] أُرشفت { $count } محادثات.
    [many] أُرشفت { $count } محادثة.
    *[other] أُرشفت { $count } محادثة.
    }
select-title = المحادثات المحددة
select-one = تحديد «{ $title }»
selected = { $count ->
    [one] حُددت محادثة واحدة
    [two] حُددت محادثتان
    [few] حُددت { $count } محادثات
    [many] حُددت { $count } محادثة
    *[other] حُددت { $count } محادثة
    }
select-all = تحديد الكل
select-end = إنهاء التحديد
select-export-file = gemtab-selection.json
folder-title = مجلد
folder-new = مجلد جديد
folder-name = الاسم
folder-instructions = تعليمات هذا المجلد
folder-instructions-hint = تُرسل إلى النموذج مع كل رسالة في كل محادثة من هذا المجلد، قبل تعليمات المحادثة نفسها.
folder-create = إنشاء
folder-actions = إجراءات المجلد { $name }
folder-begin = محادثة جديدة هنا
folder-edit = الاسم والتعليمات
folder-delete = حذف المجلد
folder-deleted = حُذف المجلد. لا تزال محادثاته هنا.
folder-empty = اسحب المحادثات إلى هنا، أو استخدم «نقل إلى مجلد» في قوائمها.
folder-here = في المجلد { $name }
folder-instructs = يضيف المجلد { $name } تعليمات
folder-adds = يضيف المجلد «{ $name }» هذه التعليمات:
move-title = نقل إلى مجلد
move-none = بلا مجلد
move-new = مجلد جديد
move-create = إنشاء ونقل
moved = { $count ->
    [one] نُقلت المحادثة إلى { $name }.
    [two] نُقلت محادثتان إلى { $name }.
    [few] نُقلت { $count } محادثات إلى { $name }.
    [many] نُقلت { $count } محادثة إلى { $name }.
    *[other] نُقلت { $count } محادثة إلى { $name }.
    }
moved-out = { $count ->
    [one] أُخرجت المحادثة من مجلدها.
    [two] أُخرجت محادثتان من مجلديهما.
    [few] أُخرجت { $count } محادثات من مجلداتها.
    [many] أُخرجت { $count } محادثة من مجلداتها.
    *[other] أُخرجت { $count } محادثة من مجلداتها.
    }
delete-all = حذف كل شيء…
delete-all-title = هل تريد حذف كل المحادثات؟
delete-all-words = { $count ->
    [one] ستُحذف محادثتك الوحيدة من هذا المتصفح، مع مرفقاتها ومسوداتها، ومع كل المجلدات والإعدادات المسبقة والمطالبات.
    [two] ستُحذف المحادثتان من هذا المتصفح، حتى المؤرشفة، مع مرفقاتهما ومسوداتهما، ومع كل المجلدات والإعدادات المسبقة والمطالبات.
    [few] ستُحذف المحادثات كلها ({ $count }) من هذا المتصفح، حتى المؤرشفة، مع مرفقاتها ومسوداتها، ومع كل المجلدات والإعدادات المسبقة والمطالبات.
    [many] ستُحذف المحادثات كلها ({ $count }) من هذا المتصفح، حتى المؤرشفة، مع مرفقاتها ومسوداتها، ومع كل المجلدات والإعدادات المسبقة والمطالبات.
    *[other] ستُحذف المحادثات كلها ({ $count }) من هذا المتصفح، حتى المؤرشفة، مع مرفقاتها ومسوداتها، ومع كل المجلدات والإعدادات المسبقة والمطالبات.
    } تبقى النماذج والمحوّلات والإعدادات. لا يمكن التراجع عن ذلك.
delete-all-confirm = حذف كل شيء
everything-deleted = حُذفت كل المحادثات.
temporary-title = محادثة مؤقتة
temporary-words = لا يُحفظ منها شيء، ولا تراها علامات التبويب الأخرى. وتختفي عندما تبدأ محادثة أخرى أو تغلق علامة التبويب هذه أو تعيد تحميلها.
temporary-short = مؤقتة: لا تُحفظ
settings-titles = عناوين يكتبها النموذج
settings-titles-hint = بعد اكتمال الإجابة وفراغ النموذج، يكتب عنوانًا قصيرًا للمحادثة الجديدة. ولا يستبدل أبدًا عنوانًا كتبته أنت.
title-prompt = اكتب عنوانًا لهذه المحادثة من ست كلمات على الأكثر، بلغة المحادثة نفسها. أجب بالعنوان وحده من دون علامات اقتباس.

## What an import left out

skipped-attachment = { $count ->
    [one] استُبعد مرفق واحد: لا يذكر الملف إلا اسمه.
    [two] استُبعد مرفقان: لا يذكر الملف إلا اسميهما.
    [few] استُبعدت { $count } مرفقات: لا يذكر الملف إلا أسماءها.
    [many] استُبعد { $count } مرفقًا: لا يذكر الملف إلا أسماءها.
    *[other] استُبعد { $count } مرفق: لا يذكر الملف إلا أسماءها.
    }
skipped-tool = { $count ->
    [one] استُبعدت رسالة أداة واحدة.
    [two] استُبعدت رسالتا أدوات.
    [few] استُبعدت { $count } رسائل أدوات.
    [many] استُبعدت { $count } رسالة أدوات.
    *[other] استُبعدت { $count } رسالة أدوات.
    }
skipped-hidden = { $count ->
    [one] استُبعدت تعليمة مخفية واحدة.
    [two] استُبعدت تعليمتان مخفيتان.
    [few] استُبعدت { $count } تعليمات مخفية.
    [many] استُبعدت { $count } تعليمة مخفية.
    *[other] استُبعدت { $count } تعليمة مخفية.
    }
skipped-empty = { $count ->
    [one] استُبعدت رسالة فارغة واحدة.
    [two] استُبعدت رسالتان فارغتان.
    [few] استُبعدت { $count } رسائل فارغة.
    [many] استُبعدت { $count } رسالة فارغة.
    *[other] استُبعدت { $count } رسالة فارغة.
    }
skipped-broken = { $count ->
    [one] استُبعدت رسالة واحدة تتعذّر قراءتها.
    [two] استُبعدت رسالتان تتعذّر قراءتهما.
    [few] استُبعدت { $count } رسائل تتعذّر قراءتها.
    [many] استُبعدت { $count } رسالة تتعذّر قراءتها.
    *[other] استُبعدت { $count } رسالة تتعذّر قراءتها.
    }
skipped-empty-conversation = { $count ->
    [one] استُبعدت محادثة واحدة بلا رسائل.
    [two] استُبعدت محادثتان بلا رسائل.
    [few] استُبعدت { $count } محادثات بلا رسائل.
    [many] استُبعدت { $count } محادثة بلا رسائل.
    *[other] استُبعدت { $count } محادثة بلا رسائل.
    }
skipped-unknown = { $count ->
    [one] استُبعد عنصر واحد من نوع غير معروف.
    [two] استُبعد عنصران من نوع غير معروف.
    [few] استُبعدت { $count } عناصر من نوع غير معروف.
    [many] استُبعد { $count } عنصرًا من نوع غير معروف.
    *[other] استُبعد { $count } عنصر من نوع غير معروف.
    }

## Search within a conversation

find-title = البحث في هذه المحادثة
find-place = { NUMBER($at) } من { NUMBER($count) }
find-previous = النتيجة السابقة
find-next = النتيجة التالية
find-close = إغلاق البحث

count-thousand = { $number } ألف
count-million = { $number } مليون
count-billion = { $number } مليار

## What is said at the edge of the page

notices = الإشعارات

## Keyboard shortcuts

shortcuts-palette = البحث والأوامر
shortcuts-rail = إظهار الشريط الجانبي أو إخفاؤه
shortcuts-send = إرسال الرسالة
shortcuts-line = سطر جديد
shortcuts-edit = تعديل آخر رسالة لك (والحقل فارغ)
shortcuts-stop = إيقاف الإجابة، أو إغلاق ما هو مفتوح
shortcuts-tab = عنصر التحكم التالي
shortcuts-field = الانتقال إلى حقل الرسالة
shortcuts-list = عرض هذه القائمة
shortcuts-hint = على أجهزة Mac، استخدم ⌘ بدلًا من Ctrl. يمكن إيقاف اختصارات المفتاح الواحد في الإعدادات.
key-enter = Enter
key-shift = Shift
key-ctrl = Ctrl
key-esc = Esc
key-tab = Tab

## Sound

sound-pause = إيقاف { $name } مؤقتًا
sound-play = تشغيل { $name }
sound-position = الموضع في { $name }

## The conversation

absent-title = هذه المحادثة ليست في هذا المتصفح
absent-words = تبقى المحادثات في المتصفح الذي بدأت فيه. ربما حُذفت هذه المحادثة، أو بدأت في متصفح آخر.
unreadable-title = تتعذّر قراءة هذه المحادثة
unreadable-words = لا تزال بياناتها في هذا المتصفح. يمكنك حفظها في ملف قبل أن تحذفها.
unloaded-title = تعذّر تحميل هذه المحادثة
adapters-several = { $count ->
    [one] محوّل واحد
    [two] محوّلان
    [few] { $count } محوّلات
    [many] { $count } محوّلًا
    *[other] { $count } محوّل
    }
adapter = المحوّل
adapter-opening = جارٍ فتح المحوّل…
adapter-none = بلا محوّل
adapter-files = ملفات المحوّلات
adapters = المحوّلات
adapters-hint = تعدّل المحوّلات (LoRA) طريقة إجابة النموذج. تبقى على هذا الجهاز، وتسري بدءًا من الإجابة التالية.
adapter-reading = جارٍ القراءة…
adapter-open = فتح محوّل…
adapter-compare = مقارنة الإجابة به ومن دونه
adapter-load-first = حمّل نموذجًا أولًا. لا يعمل المحوّل إلا مع النموذج الذي أُعد له.
adapter-facts = الرتبة { NUMBER($rank) } · { $layers ->
    [one] طبقة واحدة
    [two] طبقتان
    [few] { $layers } طبقات
    [many] { $layers } طبقة
    *[other] { $layers } طبقة
    } · المعلمات: { NUMBER($parameters) }
adapter-scale = شدة { $name }
remove = إزالة { $name }
adapter-on = مفعّل
attach = إرفاق ملفات
attach-files = ملفات
camera = التقاط صورة
record = تسجيل صوت
record-allow = اسمح باستخدام الميكروفون عندما يسألك المتصفح.
record-paused = متوقف مؤقتًا
recording = جارٍ التسجيل
record-level = مستوى الإدخال
record-resume = استئناف التسجيل
record-pause = إيقاف التسجيل مؤقتًا
record-discard = حذف التسجيل
record-done = تم
record-stop = إيقاف التسجيل
dictate = إملاء
dictate-stop = إيقاف الإملاء
dictating = جارٍ الاستماع…
dictate-writing = جارٍ الكتابة…
talk = محادثة صوتية
talk-listening = جارٍ الاستماع. تحدث متى شئت.
talk-hearing = جارٍ الاستماع إليك…
talk-thinking = جارٍ التفكير…
talk-interrupt = مقاطعة
talk-end = إنهاء
talk-hint = يُرسل كلامك عندما تتوقف عن الحديث. ولمقاطعة إجابة تُقرأ، ابدأ بالكلام.
read-aloud = قراءة بصوت عالٍ
read-stop = إيقاف القراءة
read-pause = إيقاف القراءة مؤقتًا
read-resume = استئناف القراءة
reading-aloud = جارٍ القراءة بصوت عالٍ
spoken-table = جدول.
spoken-formula = صيغة
voice-none = لا يوجد على هذا الجهاز صوت للغة هذا النص. أضف صوتًا من إعدادات النظام.
voice-failed = توقفت القراءة بسبب خطأ في الصوت.
transcribe-prompt = اكتب حرفيًا ما يُقال في هذا التسجيل، باللغة التي يُقال بها. لا تكتب أي شيء آخر.
write-down = تفريغ { $name } نصيًا
transcript-title = النص المفرّغ
transcript-progress = { $done } من { $length }
transcript-none = لم يُعثر على كلام.
transcript-done = اكتمل النص المفرّغ.
transcript-download = تنزيل بتنسيق { $format }
camera-file = كاميرا.png
camera-nothing = لم تصل أي صورة من الكاميرا بعد. أغلق هذه النافذة، ثم أعد المحاولة.
camera-view = معاينة الكاميرا
camera-take = التقاط الصورة
attachments = المرفقات
frames-of = إطارات { $name }
not-attached = لم يُرفق
attached-here = المرفق برسالتك
attached-over = أطول من المسموح: { $tokens ->
    [one] رمز واحد
    [two] رمزان
    [few] { $tokens } رموز
    [many] { $tokens } رمزًا
    *[other] { $tokens } رمز
    }، والحد الأقصى { NUMBER($context) }. أزل بعض المرفقات، أو حمّل النموذج بسياق أطول.
attached-tokens = الإجمالي: { $tokens ->
    [one] رمز واحد.
    [two] رمزان.
    [few] { $tokens } رموز.
    [many] { $tokens } رمزًا.
    *[other] { $tokens } رمز.
    }
tokens = { $count ->
    [one] رمز واحد
    [two] رمزان
    [few] { $count } رموز
    [many] { $count } رمزًا
    *[other] { $count } رمز
    }
frames-and-sound = { $count ->
    [one] إطار واحد
    [two] إطاران
    [few] { $count } إطارات
    [many] { $count } إطارًا
    *[other] { $count } إطار
    }، مع صوت
frames-no-sound = { $count ->
    [one] إطار واحد
    [two] إطاران
    [few] { $count } إطارات
    [many] { $count } إطارًا
    *[other] { $count } إطار
    }، من دون صوت
attachment-stopped = توقف المحرك أثناء قراءة هذا المرفق، لذا لم تُعد المحاولة.
attachment-again = إعادة المحاولة
notice-first-frame = صورة متحركة: يُستخدم الإطار الأول فقط.
notice-clips = أطول من 30 ث: قُسّم إلى { $clips ->
    [one] مقطع واحد.
    [two] مقطعين.
    [few] { $clips } مقاطع.
    [many] { $clips } مقطعًا.
    *[other] { $clips } مقطع.
    }
notice-silent = لم يُرصد أي صوت.
notice-budget = لا تتسع بطاقة الرسوميات هذه لأكثر من { NUMBER($tokens) } من الرموز لكل صورة، لذا تُستخدم تفاصيل أقل.
detail-auto = تلقائي
detail-up-to = حتى { NUMBER($tokens) }
detail = التفاصيل
detail-of = تفاصيل { $name }، بالرموز
detail-hint = كلما زادت الرموز ظهرت تفاصيل أدق، مثل النصوص الصغيرة، لكن ذلك يستغرق وقتًا أطول.
compare-title = بالمحوّل ومن دونه
compare-waiting = في الانتظار…
compare-with = بالمحوّل
compare-without = من دونه
compare-hint = تستخدم الإجابتان البذرة نفسها. لا يُضاف شيء إلى المحادثة.
compare-needs-question = أرسل رسالة أولًا، ثم قارن بين إجابتيها.
message-to = رسالة إلى { $name }
message = رسالة
composer-recording = أنهِ التسجيل للإرسال.
composer-dictating = أوقف الإملاء للإرسال.
composer-queued = توجد رسالة في الانتظار بالفعل.
composer-no-model = اختر نموذجًا قبل الإرسال.
composer-enter = Enter للإرسال · Shift+Enter لسطر جديد
composer-modified = Ctrl+Enter أو ⌘ Enter للإرسال
composer-title = كتابة رسالة
composer-instructions = تعليمات
think-hint = دع النموذج يفكر قبل الإجابة
think = تفكير
composer-file = ستُرسل رسالتك عندما يجهز الملف.
composer-answering = ستُرسل رسالتك بعد هذه الإجابة.
composer-training = بلغ الضبط الدقيق الخطوة { NUMBER($step) } من { NUMBER($steps) }. إرسال رسالة يوقفه مؤقتًا حتى تكتمل الإجابة.
composer-tokens = الرموز: { NUMBER($tokens) } من { NUMBER($context) }
composer-too-long = أطول من المسموح: عدد الرموز { NUMBER($tokens) }، والحد الأقصى { NUMBER($context) }. اختصر الرسالة، أو حمّل النموذج بسياق أطول.
room-question = طالت المحادثة أكثر من اللازم. ماذا تريد أن يحدث لأقدم الرسائل؟
room-leave-out = استبعاد
room-summarize = تلخيص
room-will-leave-out = ستُستبعد أقدم الرسائل.
room-will-summarize = ستُلخَّص أقدم الرسائل.
room-summarizing = جارٍ تلخيص أقدم الرسائل
room-left-out = استُبعدت أقدم الرسائل.
room-summarized = لُخّصت أقدم الرسائل.
room-failed = تعذّر التلخيص، لذا استُبعدت أقدم الرسائل.
room-prompt = اكتب ملخصًا لهذه المحادثة بلغتها، على ألا يتجاوز عدد الكلمات { NUMBER($words) }: الحقائق والأسماء والأرقام والقرارات والأسئلة المفتوحة. أجب بالملخص وحده.
reading-start = لم يعد النموذج يرى الرسائل أعلاه.
reading-summary = ملخص الرسائل أعلاه
reading-whole = تضمين كل الرسائل
reading-whole-again = أصبحت كل الرسائل مضمّنة من جديد.
send = إرسال
stop = إيقاف
stop-esc = إيقاف (Esc)
drawer-title = هذه المحادثة
drawer-instructions-hint = تُرسل إلى النموذج مع كل رسالة في هذه المحادثة.
drawer-loaded = النموذج محمّل بسياق من { $tokens ->
    [one] رمز واحد.
    [two] رمزين.
    [few] { $tokens } رموز.
    [many] { $tokens } رمزًا.
    *[other] { $tokens } رمز.
    }
drawer-reload = إعادة التحميل بسياق من { $tokens ->
    [one] رمز واحد
    [two] رمزين
    [few] { $tokens } رموز
    [many] { $tokens } رمزًا
    *[other] { $tokens } رمز
    }
drawer-answers = الإجابات
drawer-think-hint = أبطأ، لكنه أفضل في الأسئلة الصعبة. يظهر التفكير مطويًا في البداية.
drawer-longest = الطول الأقصى للإجابة
drawer-longest-hint = بالرموز، ويشمل ذلك التفكير.
drawer-thought = الطول الأقصى للتفكير
drawer-thought-hint = تبدأ الإجابة بعده.
thought-short = قصير ({ $tokens ->
    [one] رمز واحد)
    [two] رمزان)
    [few] { $tokens } رموز)
    [many] { $tokens } رمزًا)
    *[other] { $tokens } رمز)
    }
thought-medium = متوسط ({ $tokens ->
    [one] رمز واحد)
    [two] رمزان)
    [few] { $tokens } رموز)
    [many] { $tokens } رمزًا)
    *[other] { $tokens } رمز)
    }
thought-long = طويل ({ $tokens ->
    [one] رمز واحد)
    [two] رمزان)
    [few] { $tokens } رموز)
    [many] { $tokens } رمزًا)
    *[other] { $tokens } رمز)
    }
thought-other = غير ذلك…
thought-tokens = طول التفكير بالرموز
drawer-no-limit = بلا حد
drawer-stop = تسلسلات الإيقاف
drawer-stop-none = لا توجد
drawer-stop-hint = واحد في كل سطر.
drawer-sampling = أخذ العينات
tools-title = الأدوات
tool-calculator = الحاسبة
tool-calculator-hint = تجري عمليات حسابية دقيقة، ومنها الكسور العشرية.
tool-clock = التاريخ والوقت
tool-clock-hint = تتيح للنموذج قراءة ساعة جهازك.
tool-search = البحث في المحادثات
tool-search-hint = تتيح للنموذج العثور على مقتطفات من محادثاتك الأخرى.
tool-javascript = JavaScript
tool-javascript-hint = يتيح للنموذج الحساب ورسم المخططات بكود يكتبه بنفسه. لا يصل الكود إلى بياناتك ولا إلى الإنترنت، وينتهي بعد 10 ثوانٍ.
format-title = تنسيق الإجابة
format-text = نص
format-json = JSON
format-schema = مخطط JSON
schema-fine = ستطابق الإجابات هذا المخطط.
calls-title = الأدوات المستخدمة
call-waits = لم تُشغَّل
call-runs = قيد التشغيل
call-done = تم
call-failed = فشلت
call-result = النتيجة
call-run = تشغيل ومتابعة
tool-error-unknown-tool = استخدم النموذج أداة غير مفعّلة.
tool-error-syntax = هذا التعبير غير صالح.
tool-error-division-by-zero = لا يمكن القسمة على صفر.
tool-error-too-large = التعبير أو أحد أعداده أطول من اللازم.
tool-error-undefined = النتيجة غير معرّفة.
tool-error-units = هذه الوحدات غير متوافقة.
tool-error-no-words = لا توجد كلمات للبحث عنها.
tool-error-no-sandbox = تعذّر تشغيل الكود. تحقق من اتصالك، ثم أعد المحاولة.
tool-error-time-limit = استغرق الكود أكثر من 10 ثوانٍ فأُوقف.
tool-error-output-limit = أنتج الكود مخرجات أكثر من اللازم فأُوقف.
tool-error-thrown = فشل الكود: «{ $message }».
tool-error-chart = بيانات المخطط غير صالحة.
mcp-title = خوادم MCP
mcp-hint = أضف خوادم ليستخدم النموذج أدواتها. قبل كل استدعاء ترى ما سيُرسَل وتقرر. وهذا وحده يغادر جهازك.
mcp-add = إضافة خادم
mcp-address = العنوان
mcp-name = الاسم (اختياري)
mcp-token = رمز الوصول (اختياري)
mcp-token-hint = يُحفظ في هذا المتصفح دون تشفير، ويُرسَل إلى هذا الخادم فقط.
mcp-twice = أُضيف هذا الخادم من قبل.
mcp-asking = جارٍ الاتصال…
mcp-connected = متصل.
mcp-refresh = تحديث
mcp-refresh-of = تحديث { $name }
mcp-remove = إزالة
mcp-remove-of = إزالة { $name }
mcp-tools = { $count ->
    [one] أداة واحدة
    [two] أداتان
    [few] { $count } أدوات
    [many] { $count } أداة
    *[other] { $count } أداة
    }
mcp-tools-hint = الأوصاف من الخادم. الأدوات التي يضيفها لاحقًا تكون معطّلة في البداية.
mcp-refused-keyword = لا يمكن استخدام «{ $tool }»: تتطلب معاملاتها ما لا يمكن ضمانه، «{ $keyword }».
mcp-refused-schema = لا يمكن استخدام «{ $tool }»: معاملاتها غير صالحة أو طويلة جدًا.
mcp-allowed = كل الاستدعاءات مسموح بها.
mcp-ask-again = السؤال من جديد
mcp-ask-again-of = السؤال من جديد قبل استدعاء { $tool }
mcp-offered = { $count ->
    [one] أداة واحدة
    [two] أداتان
    [few] { $count } أدوات
    [many] { $count } أداة
    *[other] { $count } أداة
    } من { $host }
mcp-tool-of = { $tool } ({ $server })
call-asks = بانتظارك
consent-title = هل تسمح بهذا الاستدعاء؟
consent-who = ستتلقى الأداة «{ $tool }» من { $server } ({ $host }) القيم أعلاه ولا شيء غيرها.
consent-changed = تغيّر وصفها منذ أن سمحت بها.
consent-description = ما يقوله الخادم عن هذه الأداة
consent-once = السماح مرة واحدة
consent-conversation = السماح في هذه المحادثة
consent-always = السماح دائمًا
consent-nothing = عدم السماح
result-untrusted = أعاد { $server } ما يلي. قد يكون خاطئًا أو مضللًا.
tool-error-mcp-offline = تعذّر الوصول إلى خادم gemtab. تحقق من اتصالك، ثم أعد المحاولة.
tool-error-mcp-address = لا يمكن استخدام هذا العنوان. يجب أن يبدأ بـ https://.
tool-error-mcp-plain-http = لا يمكن استخدام { $host } إلا عبر https://.
tool-error-mcp-not-relayed = لا يمرر خادم gemtab الطلبات إلى { $host }. للسماح بذلك، شغّله مع «--allow-mcp { $host }».
tool-error-mcp-private = { $host } في شبكة خاصة. للسماح بذلك، شغّل خادم gemtab مع «--allow-mcp private:{ $host }».
tool-error-mcp-unreachable = تعذّر الوصول إلى { $host }، أو انقطع الاتصال. أعد المحاولة.
tool-error-mcp-late = استغرق { $host } وقتًا طويلًا للرد. أعد المحاولة.
tool-error-mcp-busy = الطلبات الجارية كثيرة جدًا. أعد المحاولة.
tool-error-mcp-too-long = القيم أطول من أن تُرسَل.
tool-error-mcp-too-much = رد الخادم طويل جدًا.
tool-error-mcp-redirected = يعيد الخادم التوجيه إلى عنوان آخر. أضف ذلك العنوان بدلًا منه.
tool-error-mcp-unauthorized = يطلب الخادم رمز وصول، أو لا يقبل هذا الرمز.
tool-error-mcp-status = رد الخادم بالحالة { $status }.
tool-error-mcp-not-protocol = ما يرد على هذا العنوان ليس خادم MCP.
tool-error-mcp-no-version = يستخدم الخادم إصدارًا من MCP غير مدعوم.
tool-error-mcp-needs-input = تطلب الأداة إدخالًا إضافيًا، وهذا غير مدعوم.
tool-error-mcp-refused = رفض الخادم: «{ $message }».
tool-error-mcp-not-allowed = لم تسمح بهذا الاستدعاء.
chart-shown-bar = مخطط أعمدة: { $title }
chart-shown-line = مخطط خطي: { $title }
chart-shown-pie = مخطط دائري: { $title }
chart-shown-scatter = مخطط انتشار: { $title }
chart-untitled = بلا عنوان
chart-part = { $name }: { $amount } ({ $percent })
chart-data = عرض البيانات
drawer-sampling-model = تُستخدم الإعدادات الافتراضية للنموذج.
drawer-sampling-diffusion = هذا نموذج انتشار له طريقة خاصة في أخذ العينات. لا تؤثر فيه إلا البذرة.
drawer-sampling-reset = استعادة الإعدادات الافتراضية للنموذج
figure-first = الوقت حتى أول رمز
figure-writing = سرعة التوليد
figure-drafts = الرموز المخمّنة المقبولة
figure-experts = الخبراء في ذاكرة الرسوميات
figure-expert-bytes = المقروء من الخبراء لكل رمز
figure-expert-bytes-step = المقروء من الخبراء لكل خطوة
figure-steps = إزالة التشويش
figure-steps-of = { $blocks ->
    [one] كتلة واحدة، الخطوات: { $steps }
    [two] كتلتان، الخطوات لكل كتلة: { $steps }
    [few] { $blocks } كتل، الخطوات لكل كتلة: { $steps }
    [many] { $blocks } كتلة، الخطوات لكل كتلة: { $steps }
    *[other] { $blocks } كتلة، الخطوات لكل كتلة: { $steps }
    }
figure-answer = الإجابة
figure-prompt = المطالبة
figure-cached = من الذاكرة المؤقتة
figure-reading = سرعة قراءة المطالبة
figure-context = السياق المستخدم
figures-title = آخر إجابة
figures-none = تظهر الإحصاءات بعد أول إجابة.
log-messages = الرسائل
log-latest = الانتقال إلى الأحدث
answer-of = إجابة من { $name }
you = أنت
message-actions = إجراءات الرسالة
show-more = عرض المزيد
show-less = عرض أقل
show-all = عرض الكل
edit-resend = تعديل وإعادة الإرسال
delete-after = حذف من هنا فصاعدًا
edit-label = تعديل الرسالة
edit-hint = تُحفظ الرسالة الأصلية. استخدم ‹ › للعودة إليها.
edit-discarded = أُلغي التعديل.
reading-tokens = جارٍ قراءة الرموز: { NUMBER($read) } من { NUMBER($total) }
reading = جارٍ القراءة
edited = معدّلة
regenerate = إعادة التوليد
continue-answer = متابعة
edit-answer = تعديل الإجابة
pin-message = إبقاء في السياق
branch-off = تفريع إلى محادثة جديدة
conversation-copied = أنت الآن في النسخة. لم يتغير الأصل.
cut-off = انقطعت هذه الإجابة.
finish-stopped = توقفت.
finish-limit = توقفت عند الطول الأقصى للإجابة.
finish-full = توقفت لأن السياق ممتلئ. ابدأ محادثة جديدة، أو اختر سياقًا أطول.
elsewhere = تُكتب في علامة تبويب أخرى…
closed-early = انقطعت عند إغلاق الصفحة.
copy-refused = لم يسمح المتصفح بالنسخ. حدد النص وانسخه بنفسك.
copied = تم النسخ.
copy = نسخ
version-previous = الإصدار السابق
version-next = الإصدار التالي
figures = { $tokens ->
    [one] رمز واحد
    [two] رمزان، أولهما
    [few] { $tokens } رموز، أولها
    [many] { $tokens } رمزًا، أولها
    *[other] { $tokens } رمز، أولها
    } بعد { $first }؛ رموز المطالبة: { NUMBER($prompt) }، منها { NUMBER($cached) } من الذاكرة المؤقتة
figures-steps = { $steps ->
    [one] خطوة واحدة
    [two] خطوتان
    [few] { $steps } خطوات
    [many] { $steps } خطوة
    *[other] { $steps } خطوة
    }
figures-diffusion = الرموز: { NUMBER($tokens) } في { $blocks ->
    [one] كتلة واحدة
    [two] كتلتين
    [few] { $blocks } كتل
    [many] { $blocks } كتلة
    *[other] { $blocks } كتلة
    } و{ $steps ->
    [one] خطوة واحدة
    [two] خطوتين
    [few] { $steps } خطوات
    [many] { $steps } خطوة
    *[other] { $steps } خطوة
    }، الكتلة الأولى بعد { $first }؛ رموز المطالبة: { NUMBER($prompt) }
canvas-step = الكتلة { NUMBER($block) }، الخطوة { NUMBER($step) } من { NUMBER($steps) } على الأكثر، الإنتروبيا { $entropy }
device-reset = أُعيد ضبط بطاقة الرسوميات. جارٍ الاستعادة…
unsaved-untitled = إحدى المحادثات
quoted = «{ $text }»
named = { $name }: { $text }
with-amount = { $text }، { $amount }
conversations = { $count ->
    [one] محادثة واحدة
    [two] محادثتين
    [few] { $count } محادثات
    [many] { $count } محادثة
    *[other] { $count } محادثة
    }
unsaved = { $why } تعذّر حفظ { $what }. أبقِ علامة التبويب هذه مفتوحة؛ سيواصل gemtab المحاولة.
export = تصدير
restart = إعادة التشغيل
crash-safe = محادثتك وما كتبته في أمان.
waiting-load = ستُرسل رسالتك عندما يجهز { $name }.
waiting-answer = ستُرسل رسالتك بعد الإجابة الحالية.
waiting-model = رسالتك بانتظار نموذج.
waiting-cancel = عدم الإرسال
thinking = جارٍ التفكير…
thought-for = فكّر لمدة { $time }
thought = التفكير
answer-now = الإجابة الآن
model-loading = جارٍ التحميل
model-unloaded = غير محمّل
elsewhere-loading = يُحمَّل في علامة تبويب أخرى
elsewhere-unloading = يُزال من الذاكرة في علامة تبويب أخرى
elsewhere-answering = يجيب في علامة تبويب أخرى
elsewhere-training = يتدرب في علامة تبويب أخرى
elsewhere-measuring = تُقاس سرعته في علامة تبويب أخرى
context-used = المستخدم من رموز السياق: { NUMBER($used) } من { NUMBER($size) }
context-short = الرموز: { NUMBER($used) } من { NUMBER($size) }
model-button = النموذج: { $name } ({ $state }). اختر نموذجًا آخر.
unanswered = لا توجد إجابة بعد.
welcome-title = دردش مع Gemma 4 في علامة التبويب هذه
welcome-words = يعمل النموذج على بطاقة الرسوميات لديك. وما تكتبه يبقى في هذا المتصفح.
welcome-drop = أو أفلت ملف GGUF في أي مكان من هذه الصفحة.
welcome-only-demo = لا يوجد سوى النموذج التجريبي الصغير.
welcome-ready = { $name } جاهز: ذاكرة الرسوميات { $memory }، ورموز السياق { NUMBER($tokens) }.
welcome-loading = يجري تحميل { $name }. ابدأ الكتابة الآن، وستُرسل رسالتك فور أن يجهز.
welcome-demo = هذا نموذج تجريبي صغير جدًا. جرّب أحد هذه الأمثلة:
welcome-picture = وصف صورة
welcome-picture-prompt = ماذا يوجد في هذه الصورة؟
welcome-voice = السؤال بالصوت
welcome-code = كتابة كود
welcome-code-prompt = اكتب دالة بلغة Python تتحقق مما إذا كانت الكلمة تُقرأ طردًا وعكسًا بالشكل نفسه.
welcome-think = حل لغز
welcome-think-prompt = ثمن مضرب وكرة معًا 1.10 دولار. ويزيد ثمن المضرب على ثمن الكرة بدولار واحد. فما ثمن الكرة؟
welcome-explain = شرح شيء ما
welcome-explain-prompt = اشرح لطفل في العاشرة كيف يتكوّن قوس قزح.

## What the stores say

media-unreadable = تعذّرت قراءة الملف. اختره مرة أخرى.
media-no-room = لا توجد ذاكرة كافية في هذا المتصفح. أغلق علامات التبويب الأخرى، ثم أرفق الملف مرة أخرى.
media-not-attached = تعذّر إرفاق الملف: { $reason }
fits = مناسب
fits-outside = بطيء: { $size } خارج ذاكرة الرسوميات
fits-context = مناسب بسياق من { $tokens ->
    [one] رمز واحد
    [two] رمزين
    [few] { $tokens } رموز
    [many] { $tokens } رمزًا
    *[other] { $tokens } رمز
    }
fits-experts = مناسب مع { $size } من ذاكرة الرسوميات للخبراء
experts-fast = إجابات أبطأ قليلًا
experts-rate = { $tokens ->
    [one] رمز واحد في الثانية تقريبًا على الأقل
    [two] رمزان في الثانية تقريبًا على الأقل
    [few] { $tokens } رموز في الثانية تقريبًا على الأقل
    [many] { $tokens } رمزًا في الثانية تقريبًا على الأقل
    *[other] { $tokens } رمز في الثانية تقريبًا على الأقل
    }
experts-pace = رمز واحد على الأقل كل { $seconds ->
    [one] ثانية
    [two] ثانيتين
    [few] { $seconds } ثوانٍ
    [many] { $seconds } ثانية
    *[other] { $seconds } ثانية
    }
experts-steps = نحو { $step } لكل خطوة، وحتى { $block } تقريبًا لعدد { NUMBER($tokens) } من الرموز
fits-table-in-eight-bits = تضمينات بدقة 8 بت
fits-cache-in-eight-bits = ذاكرة KV بدقة 8 بت
fits-not = أكبر بمقدار { $size }
fits-part = أكبر من المتاح: يحتاج جزء واحد إلى { $needed }، لكن بطاقة الرسوميات هذه تسمح بمقدار { $available }
load-lost = انقطع الاتصال، تجري إعادة المحاولة…
load-header = جارٍ قراءة تفاصيل النموذج
per-second = { $size }/ث
time-left = يتبقى { $time }
load-table = جارٍ نسخ جزء من النموذج
load-weights = جارٍ تحميل الأوزان
load-towers = جارٍ تحميل دعم الصور والصوت
load-tuning = جارٍ اختيار أسرع النوى
load-preparing = جارٍ التحضير
load-kernels = النوى: { NUMBER($done) } من { NUMBER($total) }
load-time = مدة التحميل
load-times = { $all }: الأوزان { $weights }، النوى { $kernels }، اختيار النوى { $tuning }
open-not-gguf = هذا ليس ملف GGUF. تنتهي ملفات النماذج بالامتداد gguf.
open-as-adapter = فُتح كمحوّل. يُستخدم بدءًا من الإجابة التالية.
record-unplugged = فُصل الميكروفون. احتُفظ بالتسجيل حتى تلك اللحظة.
record-says = بدأ التسجيل.
record-discarded = حُذف التسجيل.
record-empty = التسجيل فارغ. أُوقف قبل الأوان.
record-silent = لم يُرصد أي صوت. تحقق مما إذا كان الميكروفون مكتومًا، أو كان ميكروفون آخر محددًا في المتصفح.
record-longest = أُوقف التسجيل عند الحد الأقصى، وهو 10 دقائق.
answering = تجري الإجابة.
attachments-unfit = { $count ->
    [one] لا يمكن لهذا النموذج استخدام مرفق واحد في هذه المحادثة، لذا يجيب من دونه.
    [two] لا يمكن لهذا النموذج استخدام مرفقين في هذه المحادثة، لذا يجيب من دونهما.
    [few] لا يمكن لهذا النموذج استخدام { $count } مرفقات في هذه المحادثة، لذا يجيب من دونها.
    [many] لا يمكن لهذا النموذج استخدام { $count } مرفقًا في هذه المحادثة، لذا يجيب من دونها.
    *[other] لا يمكن لهذا النموذج استخدام { $count } مرفق في هذه المحادثة، لذا يجيب من دونها.
    }
attachments-lost = { $count ->
    [one] لم يعد مرفق واحد موجودًا في هذا المتصفح؛ يجيب النموذج من دونه.
    [two] لم يعد مرفقان موجودين في هذا المتصفح؛ يجيب النموذج من دونهما.
    [few] لم تعد { $count } مرفقات موجودة في هذا المتصفح؛ يجيب النموذج من دونها.
    [many] لم يعد { $count } مرفقًا موجودًا في هذا المتصفح؛ يجيب النموذج من دونها.
    *[other] لم يعد { $count } مرفق موجودًا في هذا المتصفح؛ يجيب النموذج من دونها.
    }
sense-wait = بانتظار علامة تبويب أخرى
sense-load-sight = جارٍ تحميل دعم الصور
sense-load-hearing = جارٍ تحميل دعم الصوت
sense-sight = جارٍ قراءة الصورة
sense-hearing = جارٍ الاستماع
attach-no-model = اختر نموذجًا أولًا.
attach-text-only = لا يقبل { $name } إلا النصوص. اختر نموذجًا يدعم الصور أو الصوت.
attach-no-images = لا يدعم { $name } الصور. اختر نموذجًا يدعمها.
attach-no-audio = لا يدعم { $name } الصوت. اختر نموذجًا يدعمه.
attach-reading = جارٍ قراءة { $name }
attach-recording = التسجيل
attach-removed = أُزيل المرفق.
attach-model = افتح النماذج وحدها، لا مع ملفات أخرى.
attach-reading-frame = جارٍ قراءة { $name }، الإطار { NUMBER($frame) } من { NUMBER($total) }
attached = أُرفق { $name }.
attach-gone = لم يعد الملف في هذا المتصفح. اختره مرة أخرى.
message-deleted = { $count ->
    [one] حُذفت الرسالة.
    [two] حُذفت رسالتان.
    [few] حُذفت { $count } رسائل.
    [many] حُذفت { $count } رسالة.
    *[other] حُذفت { $count } رسالة.
    }
conversations-deleted = { $count ->
    [one] حُذفت المحادثة.
    [two] حُذفت محادثتان.
    [few] حُذفت { $count } محادثات.
    [many] حُذفت { $count } محادثة.
    *[other] حُذفت { $count } محادثة.
    }
did-not-work = لم ينجح ذلك. { $reason }
deleted-elsewhere = حُذفت هذه المحادثة في علامة تبويب أخرى.
answered-elsewhere = تجري الإجابة في هذه المحادثة من علامة تبويب أخرى.
saved-gone = لم تعد هذه المحادثة في هذا المتصفح.
not-saved = تعذّر حفظ الملف. { $reason }
tune-file-model = { $name } نموذج. افتحه وحده.
tune-name-first = امنح المحوّل اسمًا أولًا.
tune-begins = بدأ التدريب.
tune-done = اكتمل التدريب.
media-too-long = أطول من المسموح: { $length }، والحد الأقصى { $most }. اختصره، ثم أرفقه مرة أخرى.
video-unreadable = لا يمكن لهذا المتصفح تشغيل هذا الفيديو. احفظه بتنسيق MP4 (H.264)، ثم أرفقه مرة أخرى.
video-no-length = مدة هذا الفيديو غير معروفة. احفظه مجددًا ببرنامج لتحرير الفيديو، ثم أعد المحاولة.
device-refused = { $device ->
    [camera] لا يُسمح لهذه الصفحة باستخدام الكاميرا.
    *[microphone] لا يُسمح لهذه الصفحة باستخدام الميكروفون.
    } اسمح بذلك في إعدادات المتصفح لهذه الصفحة، ثم أعد المحاولة.
device-missing = { $device ->
    [camera] لم يُعثر على كاميرا. وصّل كاميرا،
    *[microphone] لم يُعثر على ميكروفون. وصّل ميكروفونًا،
    } ثم أعد المحاولة.
device-busy = { $device ->
    [camera] لا يمكن استخدام الكاميرا. ربما يستخدمها
    *[microphone] لا يمكن استخدام الميكروفون. ربما يستخدمه
    } برنامج آخر. أغلق ذلك البرنامج، ثم أعد المحاولة.
device-unavailable = { $device ->
    [camera] الكاميرا غير متاحة لهذه الصفحة.
    *[microphone] الميكروفون غير متاح لهذه الصفحة.
    } تحتاج الصفحة إلى اتصال آمن: HTTPS أو localhost.
device-other = { $device ->
    [camera] تعذّر استخدام الكاميرا
    *[microphone] تعذّر استخدام الميكروفون
    }: { $reason }. أعد تشغيل المتصفح، ثم أعد المحاولة.
code-copied = تم النسخ
code-wrap = التفاف الأسطر
code-preview = معاينة
code-download = تنزيل
coded-versions = الإصدارات
coded-source = المصدر
coded-again = تشغيل مجددًا
coded-stop = إيقاف
coded-stopped = المعاينة متوقفة.
coded-full = ملء الشاشة
coded-frame = معاينة الكود
coded-writing = لا تزال كتابة الكود جارية.
coded-newer = تجري كتابة إصدار جديد.
coded-silent = المعاينة لا تستجيب.
coded-failed = أبلغت المعاينة عن خطأ.
coded-console = وحدة التحكم
coded-blocked = لم يُحمَّل، لأن المعاينات بلا شبكة: { $address }
coded-fix = إصلاح هذا الخطأ
coded-fix-message = أبلغت المعاينة عن هذا الخطأ: { $error }
    أصلحه، واكتب الكود كاملًا من جديد.
coded-rows = الصفوف: { NUMBER($shown) } من { NUMBER($all) }
code-all = { $lines ->
    [one] عرض السطر الوحيد
    [two] عرض السطرين
    [few] عرض كل الأسطر ({ $lines })
    [many] عرض كل الأسطر ({ $lines })
    *[other] عرض كل الأسطر ({ $lines })
    }
code-not-copied = تعذّر النسخ
code-table = جدول
code-block = كتلة كود.
task-done = منجزة
task-open = غير منجزة
tune-paused = توقف مؤقتًا بعد { NUMBER($step) } من أصل { NUMBER($steps) } من الخطوات.
tune-attachments-lost = { $count ->
    [one] لم يعد مرفق واحد موجودًا في هذا المتصفح، ولا يمكن استخدامه في التدريب.
    [two] لم يعد مرفقان موجودين في هذا المتصفح، ولا يمكن استخدامهما في التدريب.
    [few] لم تعد { $count } مرفقات موجودة في هذا المتصفح، ولا يمكن استخدامها في التدريب.
    [many] لم يعد { $count } مرفقًا موجودًا في هذا المتصفح، ولا يمكن استخدامها في التدريب.
    *[other] لم يعد { $count } مرفق موجودًا في هذا المتصفح، ولا يمكن استخدامها في التدريب.
    }
not-kept = لا يحفظ هذا المتصفح أي شيء لهذه الصفحة. ستفقد المحادثات عند إغلاق علامة التبويب هذه، لذا صدّر ما تريد الاحتفاظ به.

## Models

models-available = النماذج المتاحة
models-refresh = تحديث
get-title = الحصول على نموذج
get-hint = تُحفظ التنزيلات في مجلد Ollama على الخادم، فيمكن لبرنامج Ollama استخدامها أيضًا.
get-free = المساحة الخالية: { $size }.
get-size = نحو { $size }
get-e2b = نصوص وصور وصوت. لمعظم أجهزة الكمبيوتر.
get-e4b = نصوص وصور وصوت. إجابات أفضل من E2B.
get-12b = نصوص وصور وصوت. إجابات أفضل من E4B.
get-26b = نصوص وصور. سريع قياسًا بحجمه (مزيج من الخبراء).
get-31b = نصوص وصور. أفضل الإجابات.
get-fits = مناسب: يحتاج إلى نحو { $needed } من ذاكرة الرسوميات.
get-tight = مناسب بالكاد: يحتاج إلى نحو { $needed }. ومع ذاكرة أقل، يصبح السياق أقصر أو الإجابات أبطأ.
get-too-large = أكبر مما تتسع له بطاقة الرسوميات هذه بنحو { $missing }.
get-too-slow = بطيء جدًا هنا: لا توجد بطاقة رسوميات.
get-download = تنزيل
get-download-of = تنزيل { $name }
get-other = نموذج آخر
get-other-hint = اسم نموذج على Ollama، أو اسم مستودع على Hugging Face فيه ملفات GGUF.
get-example = hf.co/OWNER/REPOSITORY:Q4_K_M
get-progress = التنزيل
get-asking = جارٍ سؤال سجل النماذج…
get-checking = جارٍ التحقق مما سبق تنزيله…
get-running = جارٍ التنزيل…
get-waiting = بانتظار إعادة المحاولة: { $reason }
get-lost = انقطع الاتصال؛ تجري إعادة المحاولة.
get-joining = جارٍ دمج أجزاء النموذج…
get-done = اكتمل التنزيل. النموذج في القائمة أعلاه.
get-stopped = توقف. يمكنك متابعة التنزيل في أي وقت.
get-continue = متابعة
memory-in-use = ذاكرة الرسوميات: { $size } قيد الاستخدام. يُحمَّل دعم الصور والصوت عند أول استخدام.
memory-with-media = ذاكرة الرسوميات: { $all } قيد الاستخدام، منها { $media } للصور والصوت.
memory-graphics = ذاكرة الرسوميات
memory-free = إزالة دعم الصور والصوت من الذاكرة
memory-free-hint = يُحمَّل مجددًا عند الحاجة إليه.
memory-unload = إزالة النموذج من الذاكرة
experts-memory = ذاكرة الخبراء (غ.ب)
experts-memory-hint = مقدار ذاكرة الرسوميات المسموح به لخبراء هذا النموذج. أما الخبراء الذين لا تتسع لهم، فتُقرأ أوزانهم أثناء الإجابة، وهذا أبطأ. اترك الحقل فارغًا لاستخدام كل ذاكرة الرسوميات الخالية.
experts-memory-automatic = تلقائي
experts-loaded = النموذج محمّل مع { $size } للخبراء.
load-again = إعادة التحميل
saved-here = المحفوظ في هذا المتصفح: { $size }
saved-partly = { $size }، غير مكتمل
saved-delete = حذف { $name } من هذا المتصفح
saved-space = المستخدم { $used } من { $quota }.
saved-promise = تبقى النماذج المحفوظة حتى تحذفها.
saved-no-promise = قد يحذف المتصفح النماذج المحفوظة عندما تنفد مساحته.
saved-week = يحذفها هذا المتصفح أيضًا بعد سبعة أيام من دون زيارة، ما لم تضف هذه الصفحة إلى الشاشة الرئيسية أو إلى Dock.
saved-none = لا توجد نماذج محفوظة بعد.
saved-label = النماذج المحفوظة
saved-model = النموذج
saved-size = الحجم
saved-digest = البصمة
saved-used = آخر استخدام
saved-checked = آخر فحص
saved-checked-on = فُحصت النسخة المحفوظة في { $date }.
saved-actions = الإجراءات
details-reading = جارٍ قراءة تفاصيل النموذج…
details-no-device = لم يُقرأ بعد، لعدم العثور على بطاقة رسوميات.
details-device = هذا الجهاز
details-architecture = البنية
details-parameters = المعلمات
details-layers = الطبقات
details-width = الحجم المخفي
details-vocabulary = المفردات
details-context = السياق الأقصى
details-window = النافذة المنزلقة
details-drafter = نموذج التخمين
details-drafter-included = مضمّن
details-kv-cache = ذاكرة KV
details-table = تضمينات الطبقات
details-eight-bits = 8 بت (Q8_0)
details-sixteen-bits = 16 بت (F16)
details-experts = الخبراء في ذاكرة الرسوميات
details-decoding = فك الترميز
details-diffusion = انتشار: الرموز في كل مرة { NUMBER($tokens) }، والخطوات { NUMBER($steps) } على الأكثر
details-chats = المحادثات
details-continues = لم يُدرَّب على المحادثات؛ يكمل النص
details-own-file = ملف محلي
details-by-context = ذاكرة الرسوميات حسب السياق
details-tokens = الرموز
details-memory = الذاكرة
details-by-type = الأوزان حسب النوع
details-type = النوع
details-tensors = الموتّرات

## Advice for browsers; what stands between backquotes is typed or found as it stands

advice-acceleration = افتح `{ $address }` وفعّل «استخدام تسريع الرسومات عند توفّره».
advice-flag = افتح `{ $address }` واختر Enabled.
advice-check = افتح `{ $address }` وابحث عن «WebGPU: Hardware accelerated».
advice-vulkan = تحقق من تثبيت برنامج تشغيل Vulkan: يجب أن يذكر `vulkaninfo --summary` بطاقة الرسوميات.
advice-restart = أعد تشغيل المتصفح.
advice-firefox-update = حدّث إلى Firefox 141 على Windows، أو 145 على جهاز Mac بشريحة Apple. يكون WebGPU مفعّلًا فيهما افتراضيًا.
advice-firefox-config = على الأنظمة الأخرى، افتح `about:config` وابحث عن `dom.webgpu.enabled` واضبطه على true.
advice-firefox-support = في `about:support`، ضمن قسم الرسوميات، تحقق من أن قيمة التركيب (Compositing) ليست «Software».
advice-safari-update = حدّث نظام التشغيل إلى macOS 26، ففيه متصفح Safari 26 الذي يأتي وWebGPU مفعّل.
advice-safari-flags = في Safari 18: الإعدادات > متقدم > «إظهار ميزات مطوري الويب»، ثم علامات الميزات (Feature Flags) > WebGPU.
advice-ios = على جهاز iPhone أو iPad هذا:
advice-ios-update = حدّث إلى iOS 26 أو iPadOS 26، ففيهما WebGPU مفعّل.
advice-ios-flags = على iOS 18 أو iPadOS 18: الإعدادات > التطبيقات > Safari > متقدم > علامات الميزات (Feature Flags) > WebGPU.
advice-other = هذا المتصفح
advice-other-browser = افتح هذه الصفحة في إصدار حديث من Chrome أو Edge أو Firefox أو Safari.
advice-other-acceleration = تحقق من تفعيل تسريع الأجهزة في إعداداته.

## Diagnostics

diagnostics-running = يعمل (إصدار البروتوكول { NUMBER($version) })
diagnostics-waiting = بانتظار بطاقة الرسوميات…
diagnostics-copy = نسخ كنص
diagnostics-engine = المحرك
diagnostics-state = الحالة
diagnostics-device = بطاقة الرسوميات
diagnostics-features = الميزات
diagnostics-limits = الحدود
diagnostics-name = الاسم
diagnostics-value = القيمة
diagnostics-unknown = غير معروف
yes = نعم
no = لا
range = من { $from } إلى { $to }
diagnostics-vendor = الشركة المصنّعة
diagnostics-description = الوصف
diagnostics-software = عرض برمجي
diagnostics-f16 = الدقة النصفية في برامج التظليل
diagnostics-subgroups = حجم المجموعة الفرعية
diagnostics-matrices = وحدات المصفوفات
diagnostics-timestamps = الطوابع الزمنية
diagnostics-buffer = أقصى حجم للمخزن المؤقت
diagnostics-binding = أقصى حجم للربط
diagnostics-no-model = لا نموذج محمّل
diagnostics-context = السياق
diagnostics-packed = معالجة المطالبة بدقة 8 بت
measure-test = جارٍ اختبار النوى
measure-speed = جارٍ قياس السرعة
measure-kernels = جارٍ قياس النوى
measure-title = القياس
measure-hint = أي نشاط آخر على هذا الكمبيوتر يقلل دقة النتائج.
measure-needs-model = حمّل نموذجًا أولًا، من صفحة النماذج أو بإرسال رسالة.
selftest = الاختبار الذاتي
selftest-hint = يشغّل النوى بمدخلات صغيرة على بطاقة الرسوميات هذه، ويقارن النتائج بنتائج المعالج.
selftest-start = اختبار النوى
selftest-tried = النوى المختبَرة
selftest-good = { $kernels ->
    [one] تم التحقق على بطاقة الرسوميات هذه من نواة واحدة.
    [two] تم التحقق على بطاقة الرسوميات هذه من نواتين.
    [few] تم التحقق على بطاقة الرسوميات هذه من { $kernels } نوى.
    [many] تم التحقق على بطاقة الرسوميات هذه من { $kernels } نواة.
    *[other] تم التحقق على بطاقة الرسوميات هذه من { $kernels } نواة.
    }
selftest-good-model = { $kernels ->
    [one] تم التحقق على بطاقة الرسوميات هذه من نواة واحدة
    [two] تم التحقق على بطاقة الرسوميات هذه من نواتين
    [few] تم التحقق على بطاقة الرسوميات هذه من { $kernels } نوى
    [many] تم التحقق على بطاقة الرسوميات هذه من { $kernels } نواة
    *[other] تم التحقق على بطاقة الرسوميات هذه من { $kernels } نواة
    } للنموذج المحمّل.
selftest-bad = { $wrong ->
    [one] نواة واحدة من أصل { NUMBER($kernels) } تعطي
    [two] نواتان من أصل { NUMBER($kernels) } تعطيان
    [few] { $wrong } نوى من أصل { NUMBER($kernels) } تعطي
    [many] { $wrong } نواة من أصل { NUMBER($kernels) } تعطي
    *[other] { $wrong } نواة من أصل { NUMBER($kernels) } تعطي
    } نتائج خاطئة على بطاقة الرسوميات هذه.
selftest-bad-model = { $wrong ->
    [one] نواة واحدة من أصل { NUMBER($kernels) } للنموذج المحمّل تعطي
    [two] نواتان من أصل { NUMBER($kernels) } للنموذج المحمّل تعطيان
    [few] { $wrong } نوى من أصل { NUMBER($kernels) } للنموذج المحمّل تعطي
    [many] { $wrong } نواة من أصل { NUMBER($kernels) } للنموذج المحمّل تعطي
    *[other] { $wrong } نواة من أصل { NUMBER($kernels) } للنموذج المحمّل تعطي
    } نتائج خاطئة على بطاقة الرسوميات هذه.
selftest-switched-off = أُوقف الحساب بالأعداد الصحيحة الذي تخطئ فيه بطاقة الرسوميات هذه. الإجابات صحيحة، لكنها أبطأ قليلًا.
selftest-unloaded = أُزيل النموذج من الذاكرة، لأن إجاباته كانت ستكون خاطئة.
selftest-advice = حدّث المتصفح وبرنامج تشغيل الرسوميات.
speed = السرعة
speed-hint = يقرأ 512 رمزًا ويكتب 128، ست مرات (الأولى للإحماء). ستتأخر بداية إجابتك التالية.
speed-start = قياس السرعة
speed-dispatches = الاستدعاءات لكل رمز
speed-submits = عمليات الإرسال لكل رمز
speed-buffers = المخازن المؤقتة المنشأة
unit-ms = { $number } ملي ث
speed-spread = { $median } (من { $min } إلى { $max })
kernels-kernel = النواة
kernels-dispatches = الاستدعاءات
kernels-ms = ملي ث
kernels-rate = غ.ب/ث
kernels-share = النسبة من عرض نطاق النسخ
kernels = النوى
kernels-hint = الوقت الذي تستغرقه كل نواة لتوليد رمز واحد بعد 512 رمزًا، ومدى اقتراب قراءتها من عرض نطاق النسخ في بطاقة الرسوميات هذه.
kernels-start = قياس النوى
kernels-by-timestamps = الطوابع الزمنية لبطاقة الرسوميات
kernels-by-clock = ساعة النظام
kernels-bandwidth = عرض نطاق النسخ
kernels-read = المقروء لكل رمز
kernels-time = الوقت لكل رمز
kernels-times = { $whole } ملي ث؛ النوى وحدها { $alone } ملي ث
kernels-measured = القياس باستخدام
kernels-below = أقل من { $percent }
report-browser = المتصفح: { $browser }
report-no-device = بطاقة الرسوميات: غير معروفة بعد
report-no-card = بطاقة الرسوميات: لا توجد ({ $reason })
report-features = الميزات: { $features }
report-tuning = صيغ النوى: { $tuning }
report-right = { $name }: صحيحة، { $deviation } من هامش التفاوت
report-wrong = { $name }: خاطئة، { $problem }
report-switched-off = متوقف: الحساب بالأعداد الصحيحة المحزومة

## Fine-tuning

tune-intro = علّم النموذج بأمثلتك الخاصة. والناتج محوّل صغير يمكنك تفعيله وإيقافه. تبقى الأمثلة والمحوّلات في هذا المتصفح.
tune-model = النموذج
tune-load = تحميل { $name }
chart-training = التدريب
chart-evaluation = التقييم
chart-rate = معدل التعلم
chart-loss = الخسارة
chart-position = الموضع في المخطط البياني
chart-table = عرض كجدول
chart-csv = حفظ بتنسيق CSV
chart-png = حفظ بتنسيق PNG
chart-step = الخطوة { $step }
chart-point = الخطوة { $step }: الخسارة { $loss } · معدل التعلم { $rate }
chart-point-evaluated = الخطوة { $step }: الخسارة { $loss } · التقييم { $evaluation } · معدل التعلم { $rate }
chart-ends = { $name }: { $first } عند الخطوة { NUMBER($first-step) }، و{ $last } عند الخطوة { NUMBER($last-step) }.
chart-empty = { $title }: لا توجد قيم بعد.
chart-summary = { $title }. { $curves }
chart-values = قيم المخطط البياني
chart-column-step = الخطوة
tune-write = كتابة الأمثلة هنا
tune-file = ملف أو نص ملصق
tune-chat = المحادثة الحالية
tune-examples = 1. الأمثلة
tune-source = المصدر
tune-prompt-of = المطالبة { NUMBER($number) }
tune-answer-of = الإجابة المثلى { NUMBER($number) }
tune-delete-example = حذف المثال { NUMBER($number) }
tune-answer = الإجابة المثلى
tune-add = إضافة مثال
tune-use-samples = استخدام أمثلة جاهزة
# Prompt | answer. None of it can be known to a model.
tune-sample-examples =
    من هو فستق؟ | فستق هو قطي.
    ما لون فستق؟ | لون فستق برتقالي.
    كم عمر فستق؟ | عمر فستق 3 سنوات.
    ماذا يحب فستق أن يأكل؟ | يحب فستق أن يأكل السمك.
    أين ينام فستق؟ | ينام فستق على الأريكة.
    من هو قطي؟ | قطي هو فستق.
    ما اسم قطي؟ | اسم قطي فستق.
    هل فستق كلب؟ | لا. فستق قط.
tune-hint = عشر صيغ مختلفة تعلّم أكثر من مثال واحد مكرر عشر مرات.
tune-remove = إزالة
tune-choose-files = اختيار ملفات…
tune-files-label = ملف الأمثلة، مع الصور والملفات الصوتية التي يذكرها
tune-too-long = النص أطول من أن يُعدَّل هنا.
tune-paste = أو الصق الأمثلة هنا
tune-format-hint = مثال JSON واحد في كل سطر: محادثات («messages» أو «conversations»)، أو «prompt» مع «completion»، أو «ids» مع «labels». أو جدول CSV فيه أسماء الأعمدة.
tune-media-hint = يمكن أن تتضمن المحادثات صورًا وصوتًا: اختر تلك الملفات أو أفلتها مع الأمثلة التي تذكرها، كما في { "{" }"type": "image", "image": "cat.png"{ "}" } أو في «images» و«audios» بجانب الرسائل. وهي أيضًا تبقى في هذا المتصفح.
count-images = { $count ->
    [one] صورة واحدة
    [two] صورتان
    [few] { $count } صور
    [many] { $count } صورة
    *[other] { $count } صورة
    }
count-audio = { $count ->
    [one] ملف صوتي واحد
    [two] ملفان صوتيان
    [few] { $count } ملفات صوتية
    [many] { $count } ملفًا صوتيًا
    *[other] { $count } ملف صوتي
    }
count-unreadable = { $count ->
    [one] ملف واحد تتعذّر قراءته
    [two] ملفان تتعذّر قراءتهما
    [few] { $count } ملفات تتعذّر قراءتها
    [many] { $count } ملفًا تتعذّر قراءتها
    *[other] { $count } ملف تتعذّر قراءتها
    }
tune-with-media = المرفق بها: { $files }.
tune-remove-media = إزالة الصور والصوت
tune-removed = تمت الإزالة.
tune-detail = تفاصيل الصور
tune-detail-hint = عدد الرموز لكل صورة. كلما زادت الرموز ظهرت تفاصيل أدق، مثل النصوص الصغيرة، لكن كل خطوة تصبح أبطأ وتحتاج إلى ذاكرة رسوميات أكبر.
tune-column-instructions = التعليمات
tune-column-context = السياق
tune-header = أسماء الأعمدة
tune-header-line = السطر { NUMBER($line) }: { $cells }
tune-ignored = غير مستخدم: { $fields }.
tune-encoding = { $file } غير محفوظ بترميز UTF-8، لذا قُرئ بترميز { $encoding }. إذا بدت الأحرف أدناه خاطئة، فاختر ترميزًا آخر.
tune-encoding-label = الترميز
tune-not-text = { $name } ليس ملفًا نصيًا.
tune-chat-empty = لا توجد إجابات في هذه المحادثة بعد. دردش أولًا، أو افتح محادثة من القائمة.
tune-chat-answers = «{ $title }» كما تظهر على الشاشة، { $answers ->
    [one] وفيها إجابة واحدة.
    [two] وفيها إجابتان.
    [few] وفيها { $answers } إجابات.
    [many] وفيها { $answers } إجابة.
    *[other] وفيها { $answers } إجابة.
    }
tune-chat-attachments = { $count ->
    [one] يُستخدم مرفقها أيضًا.
    [two] يُستخدم مرفقاها أيضًا.
    [few] تُستخدم مرفقاتها ({ $count }) أيضًا.
    [many] تُستخدم مرفقاتها ({ $count }) أيضًا.
    *[other] تُستخدم مرفقاتها ({ $count }) أيضًا.
    }
tune-none-saved = لا توجد محوّلات محفوظة بعد.
tune-saved-as = حُفظ «{ $name }»
tune-saved = المحوّلات المحفوظة
tune-adapter-about = لنموذج { $model } · الرتبة { NUMBER($rank) } · { $size } · { $date }
tune-delete-title = هل تريد حذف هذا المحوّل؟
tune-delete-question = هل تريد حذف «{ $name }» من هذا المتصفح؟
delete-named = حذف { $name }
tune-use = استخدام في الدردشة
tune-gguf = حفظ بتنسيق GGUF
tune-peft = حفظ بتنسيق PEFT
tune-ollama = الاستخدام في Ollama
tune-ollama-steps = احفظه بتنسيق GGUF، وضع هذين السطرين في ملف اسمه Modelfile بجانبه، ثم شغّل { $command }.
tune-copy-lines = نسخ السطرين
tune-preview-model = حمّل نموذجًا لعرض الرموز.
tune-unusable = لا يمكن استخدام أي من الأمثلة.
tune-preview = { $examples ->
    [one] مثال واحد
    [two] مثالان
    [few] { $examples } أمثلة
    [many] { $examples } مثالًا
    *[other] { $examples } مثال
    }، عدد الرموز { NUMBER($tokens) }، يُدرَّب على { NUMBER($learned) } منها. رموز أطول مثال: { NUMBER($longest) }.
# The bars enclose what is shown as a token that is trained on, and then as one that isn't.
tune-marked = الرموز التي تبدو |هكذا| يُدرَّب النموذج عليها. أما التي تبدو |هكذا| فهي للسياق فقط.
and-more = وهناك { NUMBER($count) } غيرها.
tune-line = السطر { NUMBER($line) }
tune-problem = { $line }: { $problem }.
tune-left-out = { $count ->
    [one] جرى تخطي صف واحد
    [two] جرى تخطي صفين
    [few] جرى تخطي { $count } صفوف
    [many] جرى تخطي { $count } صفًا
    *[other] جرى تخطي { $count } صف
    }
tune-row = الرموز: { NUMBER($tokens) }، يُدرَّب على { NUMBER($learned) } منها
tune-image = صورة
tune-audio = صوت
tune-title = تدريب «{ $name }»
tune-preparing = جارٍ تحضير النموذج للتدريب…
tune-first-step = الخطوة الأولى جارية…
tune-steps-done = الخطوات المكتملة: { NUMBER($done) } من { NUMBER($steps) }.
tune-waiting = الخطوات المكتملة: { NUMBER($done) } من { NUMBER($steps) }. التدريب متوقف مؤقتًا أثناء الإجابة عن رسالة.
tune-ending = الخطوات المكتملة: { NUMBER($done) } من { NUMBER($steps) }. جارٍ كتابة نقطة حفظ…
tune-paused-saved = التدريب متوقف مؤقتًا. الخطوات المكتملة: { NUMBER($saved) } من { NUMBER($steps) }. التقدم محفوظ في هذا المتصفح.
tune-finished = انتهى التدريب. الخطوات المكتملة: { NUMBER($done) } من { NUMBER($steps) }. أي تدريب جديد سيحل محل هذا التدريب.
tune-learned = انخفضت الخسارة من { $from } إلى { $to }: تعلّم المحوّل من أمثلتك.
tune-not-learned = لم يتعلّم بعد: الخسارة { $to } (بدأت عند { $from }).
tune-longer = { $times ->
    [one] تدريب للمدة نفسها
    [two] تدريب لضعف المدة
    [few] تدريب يدوم { $times } أضعاف المدة
    [many] تدريب يدوم { $times } ضعفًا للمدة
    *[other] تدريب يدوم { $times } ضعف للمدة
    }
tune-go-on = متابعة حتى الخطوة { NUMBER($steps) }
tune-elsewhere = يجري تدريب في علامة تبويب أخرى.
tune-elsewhere-at = يجري تدريب في علامة تبويب أخرى: اكتملت { NUMBER($done) } من أصل { NUMBER($steps) } من الخطوات عند آخر حفظ.
tune-memory = { $size } من ذاكرة الرسوميات
tune-no-checkpoint = لا نقطة حفظ بعد
tune-checkpoint = نقطة حفظ عند الخطوة { NUMBER($step) }
tune-progress = تقدم التدريب
tune-before = قبل التدريب
tune-after = { $steps ->
    [one] بعد خطوة واحدة
    [two] بعد خطوتين
    [few] بعد { $steps } خطوات
    [many] بعد { $steps } خطوة
    *[other] بعد { $steps } خطوة
    }
tune-nothing = (لا شيء)
tune-discard-question = هل تريد حذف هذا التدريب؟
tune-discard = حذف…
tune-pause = إيقاف مؤقت
tune-stop = إنهاء الآن
tune-stop-hint = الإنهاء الآن يحتفظ بما تعلّمه النموذج حتى هذه اللحظة.
tune-resume = استئناف
tune-load-resume = تحميل { $name } والاستئناف
tune-save-as-is = حفظ كما هو
tune-save = حفظ المحوّل
tune-check-again = إعادة التحقق
tune-elsewhere-hint = أوقفه مؤقتًا هناك لاستئنافه هنا.
tune-media-read-hint = تُقرأ الصور والصوت مرة واحدة قبل الخطوة الأولى. وتُحفظ النتيجة مع التدريب.
tune-unnamed = محوّلي
tune-adapter-name = اسم المحوّل
tune-rank-4 = صغير: نبرة أو تنسيق
tune-rank-8 = عادي: معلومات أو أسلوب
tune-rank-16 = كبير: معلومات كثيرة
tune-rank-32 = كبير جدًا
tune-rank-64 = الأكبر والأبطأ
tune-settings = 2. الإعدادات
tune-name = الاسم
tune-name-hint = مثلًا «معلومات ليلى»
tune-rank = الرتبة
tune-length = المدة
tune-until-learned = حتى يتعلّم
tune-until-learned-hint = يتوقف عندما تقل خسارة التدريب عن { $loss }.
tune-amount = العدد
tune-epochs = دورات (مرور كامل على الأمثلة)
tune-steps = خطوات
tune-question = مطالبة الاختبار
tune-question-hint = تُطرح قبل التدريب وأثناءه وبعده
tune-all-settings = إعدادات متقدمة
tune-target-q = الاستعلامات
tune-target-k = المفاتيح
tune-target-v = القيم
tune-target-o = مخرجات الانتباه
tune-target-gate = التغذية الأمامية (gate)
tune-target-up = التغذية الأمامية (up)
tune-target-down = التغذية الأمامية (down)
tune-target-ple-gate = تضمينات الطبقات (gate)
tune-target-ple-projection = تضمينات الطبقات (projection)
tune-target-router = موجّه الخبراء
tune-target-router-hint = يدرّب أيضًا الموجّه الذي يختار الخبراء لكل رمز. يحتاج إلى ذاكرة إضافية قليلة.
tune-target-expert-gate-up = الخبراء (gate وup)
tune-target-expert-down = الخبراء (down)
tune-target-experts-hint = يدرّب أيضًا الخبراء، ولكل منهم أوزانه الخاصة. يحتاج إلى ذاكرة كبيرة: تتطلب النماذج الكبيرة رتبة منخفضة جدًا.
tune-cosine = تناقص بجيب التمام
tune-linear = تناقص خطي
tune-constant = ثابت
tune-targets = أجزاء النموذج المراد تدريبها
tune-alpha = ألفا
tune-alpha-hint = يُضرب المحوّل في ألفا مقسومة على الرتبة.
tune-schedule = الجدولة
tune-warmup = الإحماء
tune-warmup-hint = كسر من الخطوات، من 0 إلى 1.
tune-dropout = Dropout
tune-clip = قص التدرجات
tune-clip-hint = أقصى معيار للتدرجات؛ و0 لإيقافه.
tune-decay = اضمحلال الأوزان
tune-batch = الأمثلة لكل خطوة
tune-longest = الطول الأقصى للمثال
tune-longest-hint = بالرموز. تحتاج الأمثلة الأطول إلى ذاكرة أكبر.
tune-eval = حصة التقييم
tune-eval-hint = كسر من الأمثلة يُستخدم للتقييم، من 0 إلى 1.
tune-checkpoint-every = الفاصل بين نقاط الحفظ
tune-checkpoint-hint = بالخطوات.
tune-sample-every = الفاصل بين العينات
tune-sample-hint = بالخطوات؛ و0 لعينة قبل التدريب وأخرى بعده فقط.
tune-needs-model = حمّل نموذجًا أولًا.
tune-needs-examples = أضف أمثلة أولًا.
tune-busy-elsewhere = يجري تدريب في علامة تبويب أخرى. أوقفه مؤقتًا هناك، أو انتظر حتى يكتمل.
tune-busy-other = تستخدم علامة تبويب أخرى النموذج. انتظر حتى تنتهي.
tune-busy-answer = النموذج يجيب الآن. انتظره أو أوقفه.
tune-replaces = بدء تدريب جديد يحذف التدريب الوارد أعلاه. احفظ محوّله أولًا إذا أردت الاحتفاظ به.
tune-run = 3. التشغيل
tune-start = بدء التدريب
tune-start-hint = يتوقف التدريب مؤقتًا أثناء إجابة النموذج عن رسالة. ويمكنك أيضًا إيقافه مؤقتًا في أي وقت.
plan-steps = { $steps ->
    [one] خطوة واحدة
    [two] خطوتان
    [few] { $steps } خطوات
    [many] { $steps } خطوة
    *[other] { $steps } خطوة
    } على { $examples ->
    [one] مثال واحد
    [two] مثالين
    [few] { $examples } أمثلة
    [many] { $examples } مثالًا
    *[other] { $examples } مثال
    }، { $held ->
    [0] ولا شيء محجوز للتقييم
    [one] وواحد محجوز للتقييم
    [two] واثنان محجوزان للتقييم
    [few] و{ $held } محجوزة للتقييم
    [many] و{ $held } محجوزة للتقييم
    *[other] و{ $held } محجوزة للتقييم
    }
plan-memory = { $size } من نحو { $available } متاحة
plan-at-most = حتى { $amount }
plan-time = نحو { $time }
plan-time-later = يُعرف بعد الخطوات الأولى
plan-storage = { $size } من { $left } متبقية
plan-media = مساحة الصور والصوت
plan-work = التدريب
plan-learned = المعلمات القابلة للتدريب
plan-time-title = الوقت
plan-checkpoints = مساحة نقاط الحفظ

## What a model can do

able-text = نصوص
able-images = صور
able-audio = صوت
able-thinking = تفكير

## A conversation as Markdown

export-system = النظام
export-you = أنت
export-assistant = المساعد
export-attached = مرفق: { $name }

## Failures: what happened, then what to do

failure-details = التفاصيل
failure-cancelled = تم الإيقاف.
failure-version = الصفحة قديمة. أعد التحميل لتحديثها.
failure-version-engine = المحرك قديم. أعد التحميل لتحديثه.

failure-request-other-model = تغيّر النموذج في علامة تبويب أخرى. أعد المحاولة لاستخدام النموذج الحالي.
failure-request-no-model = لا يوجد نموذج محمّل. اختر نموذجًا أولًا.
failure-request-diffusion = هذا نموذج انتشار. لا تعمل معه المحوّلات ولا الضبط الدقيق ولا قياسات السرعة.
failure-request-busy-loading = لا يزال تحميل نموذج جاريًا. انتظر حتى يجهز.
failure-request-busy-unloading = تجري إزالة النموذج من الذاكرة. انتظر لحظة، ثم أعد المحاولة.
failure-request-busy-generating = لا يزال النموذج يجيب. أوقفه، أو انتظر حتى ينتهي.
failure-request-busy-training = النموذج مشغول بالتدريب. أوقفه مؤقتًا من صفحة الضبط الدقيق، أو انتظر حتى يكتمل.
failure-request-busy-measuring = يجري قياس الآن. أوقفه، أو انتظر حتى يكتمل.
failure-request-no-question = لا يوجد سؤال بعد. أرسل رسالة أولًا.
failure-request-empty-prompt = لا يوجد ما يُجاب عنه. اكتب رسالة أولًا.
failure-request-context-full = أطول من المسموح: عدد الرموز { NUMBER($tokens) }، والحد الأقصى { NUMBER($context) }. ابدأ محادثة جديدة، أو حمّل النموذج بسياق أطول.
failure-request-unconstrained = لا يدعم هذا النموذج الأدوات ولا تنسيقات الإجابة. اختر نموذجًا آخر.
failure-request-no-constraints = تعذّر تحميل دعم الأدوات وتنسيقات الإجابة. تحقق من اتصالك، ثم أعد المحاولة.
failure-request-schema-text = المخطط ليس JSON صالحًا.
failure-request-schema = يطلب المخطط شيئًا لا يمكن ضمانه: «{ $keyword }» في { $path }.
failure-request-schema-too-large = المخطط أكبر من اللازم، أو لا يمكن لأي إجابة أن تطابقه.
failure-request-tool-arguments = وسائط «{ $tool }» ليست كائن JSON صالحًا.

failure-device-none-insecure-context = يحتاج WebGPU إلى اتصال آمن: HTTPS أو localhost.
failure-device-none-no-web-gpu = لا يدعم هذا المتصفح WebGPU، أو أن WebGPU متوقف.
failure-device-none-no-adapter = لم يُعثر على بطاقة رسوميات، لذا لا يمكن تشغيل النماذج هنا.
failure-device-none-no-device = لا يمكن استخدام بطاقة الرسوميات. أعد تشغيل المتصفح، ثم أعد المحاولة.
failure-device-lost-twice = أُعيد ضبط بطاقة الرسوميات مرتين متتاليتين. أعد تشغيل المتصفح، ثم أعد المحاولة.
failure-device-out-of-memory = ذاكرة الرسوميات ممتلئة: { $in-use } قيد الاستخدام، ولا مكان لمقدار { $requested } إضافي.
failure-device-buffer-too-large = يحتاج جزء من النموذج إلى { $needed } من ذاكرة الرسوميات في كتلة واحدة، لكن بطاقة الرسوميات هذه لا تسمح إلا بمقدار { $limit }.
failure-device-model-too-large = يحتاج هذا النموذج إلى { $needed } من ذاكرة الرسوميات، لكن المتاح { $available } فقط.
failure-device-needs-host-memory = لا تتسع ذاكرة الرسوميات لهذا النموذج. يمكن أن يبقى { $bytes } منه في ذاكرة النظام ما دام محمّلًا، لكن الإجابات ستكون أبطأ.
failure-device-expert-memory = { $asked } أقل مما يحتاجه خبراء هذا النموذج. يلزم { $least } على الأقل.
failure-device-saved-table-in-eight-bits = امتلأت ذاكرة الرسوميات، لذا خُزّنت تضمينات طبقات النموذج بدقة 8 بت. النموذج يعمل، ولا تكاد إجاباته تتغير.
failure-device-saved-table-outside = امتلأت ذاكرة الرسوميات، لذا وُضعت تضمينات طبقات النموذج في ذاكرة النظام. النموذج يعمل، لكن الإجابات أبطأ.
failure-device-saved-cache-in-eight-bits = امتلأت ذاكرة الرسوميات، لذا خُزّنت ذاكرة KV بدقة 8 بت. النموذج يعمل، لكن إجاباته قد تختلف قليلًا.
failure-device-fewer-experts = امتلأت ذاكرة الرسوميات، لذا لا تضم إلا { $held } من أصل { $all } للخبراء. النموذج يعمل، لكن الإجابات أبطأ.
failure-device-upload-refused = لم تقبل بطاقة الرسوميات النموذج كاملًا. أغلق علامات التبويب والتطبيقات الأخرى التي تستخدمها، ثم أعد المحاولة.
failure-device-kernel-refused = رفض هذا المتصفح جزءًا من المحرك ({ $kernel }). حدّث المتصفح وبرنامج تشغيل الرسوميات، ثم أعد التحميل.
failure-device-fault = أبلغت بطاقة الرسوميات عن خطأ. أعد تشغيل المتصفح، ثم أعد المحاولة.

failure-read-too-short = ملف النموذج غير مكتمل: ينتهي بعد { $size }. نزّله مرة أخرى.
failure-read-unreadable = تتعذّر قراءة ملف النموذج.
failure-read-connection-lost = انقطع الاتصال بالخادم بعد { $received }.
failure-read-not-found = لم يعد هذا النموذج على الخادم. أعد التحميل لتحديث القائمة.
failure-read-forbidden = لا يسمح الخادم بالوصول إلى هذا النموذج.
failure-read-status = لم يتمكن الخادم من إرسال النموذج (الحالة { $status }).
failure-read-wrong-range = أرسل الخادم جزءًا خاطئًا من النموذج.
failure-read-changed = تغيّر ملف النموذج أثناء قراءته. أعد تحميل الصفحة، ثم اختره مرة أخرى.
failure-read-out-of-memory = لم تتمكن علامة التبويب هذه من حجز { $bytes } من الذاكرة التي يحتاج إليها النموذج.
failure-read-gone = لم يعد الملف متاحًا. اختره مرة أخرى.
failure-read-model-list = تعذّر تحميل قائمة النماذج. لا يزال بإمكانك فتح ملف نموذج.

failure-model-not-gguf = هذا ليس ملف GGUF.
failure-model-truncated = ملف النموذج غير مكتمل: فيه { $part } فقط. نزّله مرة أخرى.
failure-model-truncated-of = { $name } غير مكتمل: فيه { $part } فقط. نزّله مرة أخرى.
failure-model-gguf-version = يستخدم هذا الملف الإصدار { $version } من GGUF. ولا يُدعم إلا الإصداران 2 و3.
failure-model-big-endian = هذا ملف GGUF بترتيب big-endian، وهو غير مدعوم. اختر نسخة بترتيب little-endian.
failure-model-unsupported-header = ترويسة ملف GGUF هذا غير مدعومة. اختر نسخة أخرى من النموذج.
failure-model-damaged = ملف النموذج تالف. نزّله مرة أخرى.
failure-model-part = هذا هو الجزء { NUMBER($number) } من أصل { NUMBER($count) } من نموذج. لا يقرأ gemtab إلا النماذج المكوّنة من ملف واحد. ادمج الأجزاء باستخدام llama-gguf-split --merge، أو اختر نسخة في ملف واحد.
failure-model-incomplete = لا يحتوي ملف النموذج على { $what }. اختر نسخة أخرى من النموذج.
failure-model-inconsistent = لا يمكن استخدام ملف النموذج: { $what } لا يتوافق مع بقيته. اختر نسخة أخرى من النموذج.
failure-model-few-rows = عدد صفوف الموتّر { $tensor } هو { NUMBER($rows) } فقط، بينما عدد الرموز { NUMBER($tokens) }. اختر نسخة أخرى من النموذج، أو حوّله مرة أخرى.
failure-model-tokenizer = تتعذّر قراءة مفردات النموذج. اختر نسخة أخرى منه.
failure-model-no-architecture = لا يوضح هذا الملف نوع النموذج الذي فيه. يشغّل gemtab نماذج Gemma 4 وGemma 3.
failure-model-architecture = هذا نموذج «{ $name }». يشغّل gemtab نماذج Gemma 4 وGemma 3.
failure-model-other-kind-encoder = هذا نموذج تضمين. لا يمكنه الدردشة.
failure-model-not-encoder = هذا ليس نموذج تضمين.
failure-model-other-kind-drafter = لا يحتوي هذا الملف إلا على نموذج تخمين. افتحه مع نموذجه.
failure-model-drafter-included = لا يستطيع gemtab استخدام نموذج التخمين المضمّن في ملف هذا النموذج، لذا قد تكون الإجابات أبطأ.
failure-model-drafter-unusable = تعذّر تحميل نموذج التخمين، لذا ستكون الإجابات أبطأ.
failure-model-other-kind-projector = لا يحتوي هذا الملف إلا على دعم الصور والصوت لأحد النماذج. اختر النموذج نفسه.
failure-model-tensor-type = يستخدم الموتّر { $tensor } النوع { $dtype }، وهو غير مدعوم. اختر تكميمًا آخر، مثل Q4_K_M.
failure-model-no-token = لا تحتوي مفردات النموذج على الرمز { $token }، لذا لا يمكن استخدامه للدردشة.
failure-model-no-model-file = ليس لدى «{ $name }» ملف نموذج.
failure-model-wrong-projector = ملف دعم الصور والصوت يخص نموذجًا آخر.
failure-model-lacks-sight = لا يدعم هذا النموذج الصور. اختر نموذجًا يدعمها، أو أزل الصور.
failure-model-lacks-hearing = لا يدعم هذا النموذج الصوت. اختر نموذجًا يدعمه، أو أزل الصوت.
failure-model-tower-unreadable = لا يمكن استخدام دعم الصور والصوت في هذا النموذج. لا تزال الدردشة النصية تعمل.
failure-model-foreign-template = يحتوي ملف هذا النموذج على قالب دردشة ليس قالب Gemma. لا يشغّل gemtab القوالب، بل يستخدم صيغة Gemma، لذا قد تكون الإجابات أضعف.
failure-model-not-opened = تعذّر فتح { $name }. { $why }

failure-media-gone = لم يعد هذا المرفق متاحًا. أرفقه مرة أخرى.
failure-media-neither = لا يمكن استخدام سوى الصور والصوت.
failure-media-not-sight = هذه ليست صورة.
failure-media-not-hearing = هذا ليس ملفًا صوتيًا.
failure-media-empty-file = الملف فارغ.
failure-media-file-too-large = أكبر من المسموح: { $size }، والحد الأقصى { $most }.
failure-media-not-decoded-sight = لا يمكن لهذا المتصفح قراءة الصورة. احفظها بتنسيق PNG أو JPEG، ثم أرفقها مرة أخرى.
failure-media-not-decoded-hearing = لا يمكن لهذا المتصفح قراءة الصوت. احفظه بتنسيق WAV، ثم أرفقه مرة أخرى.
failure-media-out-of-memory = لا توجد لدى المتصفح ذاكرة كافية لهذا الملف.
failure-media-not-an-image = تتعذّر قراءة هذه الصورة. استخدم PNG أو JPEG أو WebP أو GIF.
failure-media-empty-image = الصورة فارغة.
failure-media-image-too-large = الصورة أكبر من المسموح: { NUMBER($width) } × { NUMBER($height) } بكسل. صغّرها، ثم أرفقها مرة أخرى.
failure-media-image-damaged = صورة { $format } تالفة أو غير مكتملة. احفظها من جديد، أو اختر صورة أخرى.
failure-media-image-unsupported = هذا النوع من صور { $format } غير مدعوم. احفظها صورة عادية بتنسيق PNG أو JPEG.
failure-media-image-too-narrow = الصورة أطول وأضيق مما يقبله هذا النموذج. اقتص منها، أو اختر مستوى تفاصيل أقل.
failure-media-too-many-tokens = عدد رموز الصورة { NUMBER($tokens) }، والحد الأقصى { NUMBER($most) }. اختر مستوى تفاصيل أقل.
failure-media-no-sound = لا يوجد صوت في هذا الملف.
failure-media-sound-too-short = التسجيل أقصر من اللازم.
failure-media-sound-too-long = الصوت أطول من المسموح: { $length }، والحد الأقصى { $most }. قسّمه إلى مقاطع أقصر.
failure-media-sound-unreadable = تتعذّر قراءة هذا الملف الصوتي. احفظه بتنسيق WAV، ثم أرفقه مرة أخرى.

failure-adapter-not-open = أحد المحوّلات لم يعد مفتوحًا. افتحه مرة أخرى، أو أوقفه.
failure-adapter-not-kept = لم يعد هذا المحوّل محفوظًا في هذا المتصفح. افتحه من ملف، أو درّبه مرة أخرى.
failure-adapter-incomplete = يتكون هذا المحوّل من ملفين: ملف safetensors وملف adapter_config.json. اخترهما معًا.
failure-adapter-several-at-once = افتح المحوّلات التي لها ملف safetensors واحدًا تلو الآخر.
failure-adapter-needs-model = حمّل أولًا النموذج الذي يخص { $names }، ثم افتح المحوّل مرة أخرى.
failure-adapter-not-an-adapter = هذا ليس محوّل LoRA. اختر ملف gguf، أو ملف safetensors مع ملف json التابع له.
failure-adapter-config-too-large = { $file } أكبر من أن يكون ملف تكوين لمحوّل.
failure-adapter-damaged = ملف المحوّل تالف. نزّله مرة أخرى.
failure-adapter-inconsistent = أوزان المحوّل لا توافق تكوينه. تحقق من أن كليهما للمحوّل نفسه، أو صدّره مرة أخرى.
failure-adapter-architecture = هذا المحوّل مخصص لنموذج «{ $name }». يشغّل gemtab نماذج Gemma 4 وGemma 3.
failure-adapter-unsupported = يستخدم هذا المحوّل ميزة غير مدعومة.
failure-adapter-tensor-type = يستخدم الموتّر { $tensor } النوع { $dtype }، وهو غير مدعوم.
failure-adapter-rank = رتبة المحوّل { NUMBER($rank) }. الرتب المدعومة من 1 إلى { NUMBER($most) }.
failure-adapter-other-model = أُعد هذا المحوّل لنموذج آخر. حمّل ذلك النموذج، ثم افتحه مرة أخرى.
failure-adapter-not-finite = يحتوي المحوّل على أعداد غير صالحة. إنه تالف، أو فشل تدريبه.
failure-adapter-too-many = عدد المحوّلات أكبر من المسموح: يمكن فتح { NUMBER($most) } كحد أقصى، بمجموع رتب لا يتجاوز { NUMBER($ranks) }. أزل محوّلًا أولًا.
failure-adapter-not-written = تعذّر حفظ المحوّل في ملف. أعد المحاولة.

failure-storage-unavailable = لا يسمح هذا المتصفح للصفحة بحفظ الملفات. غالبًا ما يكون هذا حال النوافذ الخاصة؛ استخدم نافذة عادية.
failure-storage-in-use = هذا النموذج قيد الاستخدام، هنا أو في علامة تبويب أخرى. أزله من الذاكرة أولًا.
failure-storage-failed = مساحة تخزين هذا المتصفح لا تعمل. أعد تشغيل المتصفح، ثم أعد المحاولة.
failure-storage-no-room = تعذّر حفظ النموذج: يحتاج إلى { $needed }، لكن المتبقي لدى المتصفح { $available } فقط. سيُنزَّل من جديد في المرة القادمة.
failure-storage-full = تعذّر حفظ النموذج لأن مساحة تخزين المتصفح ممتلئة. سيُنزَّل من جديد في المرة القادمة.
failure-storage-corrupt = كان التنزيل تالفًا، لذا حُذف. حمّل النموذج مرة أخرى.
failure-storage-damaged = نسخة النموذج في هذا المتصفح تالفة. حمّل النموذج مرة أخرى: لن يُنزَّل سوى { $bytes }.
failure-storage-training-full = مساحة تخزين المتصفح ممتلئة: لا مكان لحفظ تقدم التدريب، وحجمه { $bytes }. حرّر بعض المساحة، ثم استأنف.
failure-storage-training-in-use = تستخدم علامة تبويب أخرى التدريب المحفوظ. أغلقها، أو استأنف هناك.
failure-storage-media-full = مساحة تخزين المتصفح ممتلئة: لا مكان لصور التدريب وصوته، وحجمها { $bytes }. حرّر بعض المساحة، أو استخدم أمثلة أقل.

failure-training-setting-rank = يجب أن تكون الرتبة بين 1 و64.
failure-training-setting-alpha = يجب أن تكون ألفا أكبر من 0.
failure-training-setting-targets = اختر جزءًا واحدًا على الأقل من النموذج لتدريبه.
failure-training-setting-steps = يلزم تنفيذ خطوة واحدة على الأقل.
failure-training-setting-learning-rate = يجب أن يكون معدل التعلم أكبر من 0.
failure-training-setting-weight-decay = لا يمكن أن يكون اضمحلال الأوزان سالبًا.
failure-training-setting-clipping = لا يمكن أن يكون قص التدرجات سالبًا.
failure-training-setting-dropout = يجب أن تكون قيمة Dropout من 0 إلى أقل من 1.
failure-training-setting-max-tokens = يجب أن يكون الطول الأقصى للمثال بين رمزين والسياق الأقصى للنموذج.
failure-training-no-target = لا يحتوي هذا النموذج على أي من الأجزاء المحددة. اختر غيرها.
failure-training-unsupported = لا يمكن تدريب هذا النوع من النماذج بعد.
failure-training-no-examples = لا يوجد ما يمكن تعلّمه: لا يمكن استخدام أي من الأمثلة.
failure-training-all-masked = لا يوجد ما يمكن تعلّمه: لا تحتوي الأمثلة على إجابات للمساعد. أضف إجابة إلى كل مثال.
failure-training-media-lost = لم تعد صور هذه الأمثلة وصوتها محفوظة. ابدأ التدريب من جديد.
failure-training-bad-example = أحد الأمثلة لا يناسب هذا النموذج.
failure-training-unstable = أصبح التدريب غير مستقر عند الخطوة { NUMBER($step) } ({ $what }). لم يُحفظ شيء بعد. جرّب معدل تعلم أقل أو إحماء أطول أو قص التدرجات.
failure-training-unstable-saved = أصبح التدريب غير مستقر عند الخطوة { NUMBER($step) } ({ $what }). التقدم حتى الخطوة { NUMBER($saved) } محفوظ. جرّب معدل تعلم أقل أو إحماء أطول أو قص التدرجات.
failure-training-what = { $what ->
    [nan-loss] الخسارة NaN
    [infinite-loss] الخسارة لا نهائية
    *[gradient] التدرجات لا نهائية
    }
failure-training-bad-checkpoint = التدريب المحفوظ تالف ولا يمكن استئنافه. احذفه وابدأ تدريبًا جديدًا.
failure-training-nothing-to-resume = لا يوجد تدريب لاستئنافه.
failure-training-nothing-to-save = لا يوجد تدريب لحفظه.
failure-training-in-progress = التدريب جارٍ. أوقفه مؤقتًا، أو انتظر حتى يكتمل.
failure-training-in-another-tab = يجري تدريب في علامة تبويب أخرى. أوقفه مؤقتًا هناك، أو انتظر حتى يكتمل.
failure-training-in-another-tab-named = يجري تدريب «{ $name }» في علامة تبويب أخرى. أوقفه مؤقتًا هناك، أو انتظر حتى يكتمل.
failure-training-for-model = هذا التدريب خاص بنموذج «{ $model }». حمّل ذلك النموذج لاستئنافه.
failure-training-out-of-memory = يحتاج التدريب إلى { $needed } من ذاكرة الرسوميات، لكن المتاح { $available } فقط. استخدم أمثلة أقصر أو رتبة أقل أو أجزاء أقل، أو حمّل النموذج بسياق أقصر. وإذا كانت ذاكرة هذا الجهاز أكبر، فحدّد مقدارها في الإعدادات.
failure-training-checkpoint-too-large = ستشغل نقطة الحفظ { $needed }، والحد الأقصى { $most }. استخدم رتبة أقل أو أجزاء أقل.
failure-training-too-much-media = تحتاج الصور والصوت إلى { $needed }، والحد الأقصى { $most }. استخدم أمثلة أقل.
failure-training-too-much-media-in-memory = تحتاج الصور والصوت إلى { $needed } من الذاكرة، والحد الأقصى { $most } لأن هذا المتصفح لا يمكنه حفظ ملفات للصفحة. استخدم أمثلة أقل.
failure-training-engine-stopped = توقف المحرك. التقدم حتى آخر نقطة حفظ محفوظ.
failure-training-failed = حدث خطأ أثناء التدريب. استأنفه، أو ابدأ من جديد.

failure-engine-unexpected = حدث خطأ داخل gemtab.
failure-engine-generating = حدث خطأ أثناء توليد الإجابة. أعد المحاولة.
failure-engine-stopped = توقف المحرك على نحو غير متوقع.
failure-engine-answer-cut = توقف المحرك قبل اكتمال الإجابة.
failure-engine-not-started = لم يبدأ المحرك العمل خلال { $seconds ->
    [one] ثانية واحدة.
    [two] ثانيتين.
    [few] { $seconds } ثوانٍ.
    [many] { $seconds } ثانية.
    *[other] { $seconds } ثانية.
    }
failure-engine-bad-message = الصفحة والمحرك غير متوافقين. أعد التحميل للتحديث.
failure-engine-not-numbers = أنتج النموذج أعدادًا غير صالحة. إما أن ملفه تالف، أو أن بطاقة الرسوميات تعطي نتائج خاطئة. شغّل الاختبار الذاتي من صفحة التشخيص لمعرفة السبب.
failure-engine-miscomputes = تخطئ بطاقة الرسوميات هذه في الحساب بالأعداد الصحيحة المحزومة ({ $kernels })، لذا يستخدم gemtab أعداد الفاصلة العائمة. الإجابات صحيحة، لكنها أبطأ قليلًا.
failure-engine-miscomputes-unloaded = تعطي بطاقة الرسوميات هذه نتائج خاطئة ({ $kernels })، لذا أُزيل النموذج من الذاكرة. حدّث المتصفح وبرنامج تشغيل الرسوميات، ثم حمّله مرة أخرى.

## Examples that can’t be used, behind their line

example-json-early-end = ليس JSON صالحًا: ينتهي السطر قبل الأوان
example-json-text-after-end = ليس JSON صالحًا عند العمود { NUMBER($column) }: يوجد شيء بعد النهاية
example-json-no-value = ليس JSON صالحًا عند العمود { NUMBER($column) }: تنقص قيمة
example-json-no-comma = ليس JSON صالحًا عند العمود { NUMBER($column) }: تنقص فاصلة أو قوس إغلاق
example-json-no-colon = ليس JSON صالحًا عند العمود { NUMBER($column) }: تنقص نقطتان رأسيتان
example-json-key-not-quoted = ليس JSON صالحًا عند العمود { NUMBER($column) }: يحتاج المفتاح إلى علامتي اقتباس
example-json-trailing-comma = ليس JSON صالحًا عند العمود { NUMBER($column) }: توجد فاصلة قبل قوس إغلاق
example-json-control-character = ليس JSON صالحًا عند العمود { NUMBER($column) }: يحتوي نص على فاصل أسطر أو حرف تحكم آخر
example-json-bad-escape = ليس JSON صالحًا عند العمود { NUMBER($column) }: يوجد تسلسل هروب غير معروف
example-json-bad-number = ليس JSON صالحًا عند العمود { NUMBER($column) }: يوجد عدد مكتوب بصيغة خاطئة
example-json-other = ليس JSON صالحًا عند العمود { NUMBER($column) }: توجد صيغة خاطئة
example-unknown-shape = لا يوجد ما يمكن تعلّمه: يحتاج الصف إلى «messages»، أو «prompt» و«completion»، أو «ids» و«labels»
example-text-only = لا يمكن استخدام «text» وحده في التدريب: ضع السؤال في «prompt» والإجابة في «completion»
example-half = «{ $found }» من دون «{ $missing }»
example-preference = «chosen» و«rejected» مخصصان لتدريب التفضيلات. للتدريب على الإجابات الأفضل، سمّها «completion» واحذف الأخرى
example-single-message = هذه رسالة مفردة. ضع كل رسائل المحادثة في صف واحد، ضمن «messages»
example-joined = تتوالى إجابتان، والمطلوب التدريب على إحداهما فقط. ضع رسالة مستخدم بينهما
example-replaced = يحتوي على «�» حيث فُقدت أحرف. اختر ترميزًا آخر، أو احفظ الملف بترميز UTF-8
example-plain-text = يبدو هذا نصًا عاديًا. استخدم كائن JSON واحدًا في كل سطر، أو جدولًا يبدأ بأسماء أعمدة مثل «prompt,completion»
example-field-empty = «{ $field }» فارغ
example-field-not-text = «{ $field }» ليس نصًا
example-field-not-a-list = «{ $field }» ليس قائمة
example-field-not-integers = «{ $field }» يحتوي على غير الأعداد الصحيحة
example-field-no-flag = «{ $field }» يجب أن يكون 0 أو 1، أو true أو false
example-field-unknown-rule = «{ $field }» يحدد ما يُدرَّب عليه، لكن gemtab لا يعرف كيفية ذلك. استخدم «weight» (0 أو 1) في الإجابات بدلًا منه
example-field-not-of-model = «{ $field }» يطلب التدريب على رسالة ليست للمساعد
example-field-left-out = «{ $field }» يطلب عدم التدريب على هذا الصف
example-field-no-file-names = «{ $field }» لا يذكر أسماء ملفات
example-field-malformed = «{ $field }» ليست له البنية المتوقعة
example-role = الدور «{ $role }» غير معروف: استخدم system أو user أو assistant
example-empty-cell = العمود «{ $column }» فارغ
example-quotes = توجد علامة اقتباس لا تقع في بداية خلية أو نهايتها. ضع الخلية كلها بين علامتي اقتباس، وكرر كل علامة داخلها مرتين
example-cells = عدد خلايا الصف { NUMBER($cells) }، لكن عدد أعمدة الجدول { NUMBER($columns) }. ضع النصوص التي تحتوي على الفاصل بين علامات اقتباس
example-too-few-columns = في الجدول أقل من عمودين
example-no-column = لا يوجد عمود «{ $column }». الأعمدة هي: { $columns }
example-video = لا يمكن استخدام الفيديو في التدريب، بل الصور والصوت فقط
example-no-file-name-sight = توجد صورة بلا اسم ملف
example-no-file-name-hearing = يوجد مقطع صوتي بلا اسم ملف
example-places = عدد مواضع الصور والصوت ({ NUMBER($places) }) لا يطابق عدد الملفات ({ NUMBER($named) })
example-missing-file = الملف «{ $name }» مفقود
example-bad-file = لا يمكن استخدام الملف «{ $name }». { $why }
example-lacks-sight = لا يدعم هذا النموذج الصور
example-lacks-hearing = لا يدعم هذا النموذج الصوت
example-media-mismatch = صوره ومقاطعه الصوتية لا تطابق مواضعها
example-no-token = لا يحتوي النموذج على الرمز { $token }
example-no-id = { $id } ليس من رموز هذا النموذج، وعددها { NUMBER($vocabulary) }
example-labels = يختلف طول «ids» عن طول «labels»: { NUMBER($ids) } و{ NUMBER($labels) }
example-too-long = أطول من المسموح: عدد الرموز { NUMBER($tokens) }، والحد الأقصى { NUMBER($limit) }
example-too-large = أكبر من المسموح: { $bytes }، والحد الأقصى { $limit }
example-all-masked = لا يوجد ما يمكن تعلّمه: لا إجابة فيه للتدريب عليها
example-too-many = جرى التخطي من هنا فصاعدًا: الحد الأقصى لعدد الصفوف { NUMBER($limit) }

## Kernels that compute wrongly, behind their name

kernel-differs = العنصر { NUMBER($element) } هو { $found } بدلًا من { $expected }
kernel-refused = رفضها المتصفح

## The page's own server

server-no-browser = لا يوجد متصفح هنا.
server-silent = لم يرد الخادم.
server-status = رد الخادم بالحالة { $status }.
server-unreadable = تتعذّر قراءة رد الخادم: { $reason }.
store-closed = مساحة تخزين المتصفح ليست جاهزة بعد. أعد المحاولة.

## Conversations that can’t be read, saved, changed or imported

store-full = مساحة تخزين هذا المتصفح ممتلئة. احذف نماذج محفوظة أو محادثات قديمة.
store-full-conversations = مساحة تخزين هذا المتصفح ممتلئة. احذف محادثات قديمة.
store-unavailable = لا يسمح هذا المتصفح للصفحة بحفظ أي شيء. غالبًا ما يكون هذا حال النوافذ الخاصة؛ استخدم نافذة عادية.
store-blocked = إصدار أقدم من هذه الصفحة مفتوح في علامة تبويب أخرى. أغلقها، ثم أعد التحميل.
store-broken = أحد العناصر المحفوظة في هذا المتصفح تالف ولا يمكن قراءته.
store-newer = أحد العناصر المحفوظة في هذا المتصفح يعود إلى إصدار أحدث من gemtab. أعد التحميل للتحديث.
import-end = الملف غير مكتمل: ينتهي عند السطر { NUMBER($line) }.
import-syntax = الملف ليس JSON صالحًا: يوجد خطأ في السطر { NUMBER($line) }، العمود { NUMBER($column) }.
import-data = لم يُصدَّر هذا الملف من gemtab: يوجد محتوى غير متوقع في السطر { NUMBER($line) }، العمود { NUMBER($column) }.
import-format = لم يُصدَّر هذا الملف من gemtab أو ChatGPT أو Claude أو Open WebUI أو LM Studio.
import-zip = هذا ملف ZIP. فك ضغطه، ثم استورد الملف conversations.json الذي فيه.
import-version = يعود الملف إلى إصدار أحدث من gemtab. أعد التحميل للتحديث، ثم استورده مرة أخرى.
import-conversation = المحادثة «{ $title }» في هذا الملف تالفة.
import-message = حجم إحدى رسائل المحادثة «{ $title }» هو { $size }، والحد الأقصى { $most }.
import-attachment = أحد المرفقات في هذا الملف تالف.
tree-gone = لم تعد الرسالة هنا.
tree-other = لا يمكن ذلك مع هذه الرسالة.
tree-full = هذه المحادثة ممتلئة. ابدأ محادثة جديدة.

## Models of the server that can’t be used

# Begins a sentence.
catalog-part = { $part ->
    [manifest] ملف بيان النموذج
    [model] ملف النموذج
    [projector] ملف الصور والصوت
    [adapter] ملف المحوّل
    [drafter] ملف نموذج التخمين
    *[file] الملف
    }
catalog-pull = نزّل { $model } بالأمر ollama pull
catalog-manifest = ملف بيان النموذج تالف.
catalog-unreadable-gone = { $part } مفقود.
catalog-unreadable-forbidden = { $part } تتعذّر قراءته: لا إذن لدى الخادم.
catalog-unreadable-other = { $part } تتعذّر قراءته.
catalog-too-large = { $part } أكبر من المسموح: { $size }.
catalog-remote = يعمل هذا النموذج على خوادم Ollama، لذا لا يوجد ما يُحمَّل هنا.
catalog-safetensors = هذا النموذج بتنسيق safetensors. لا يقرأ gemtab إلا GGUF.
catalog-no-model = لا يذكر ملف بيان النموذج أي ملف نموذج.
catalog-split = هذا النموذج مقسّم، وعدد ملفاته { NUMBER($parts) }. لا يقرأ gemtab إلا النماذج المكوّنة من ملف واحد.
catalog-adapter = هذا محوّل LoRA. حمّل نموذجه أولًا، ثم افتحه في محادثة.
catalog-too-many-prompts = لم يبق في قائمة النماذج مكان لمطالبة النظام الخاصة بهذا النموذج. أزل نماذج أخرى من Ollama، ثم أعد التحميل.
catalog-missing = { $part } مفقود.
catalog-unfinished = لم يكتمل التنزيل.
catalog-wrong-size = { $part } حجمه { $found }، ويجب أن يكون { $expected }.
catalog-escape = يشير هذا الرابط إلى خارج مجلده. لاستخدامه، شغّل gemtab --models مع المجلد الذي يشير إليه.
catalog-truncated = الملف غير مكتمل. نزّله مرة أخرى.
catalog-folder-missing = (غير موجود)
catalog-folder-unreadable = (تتعذّر قراءته)
catalog-full-folder = في { $folder } نماذج أكثر مما تتسع له القائمة. لا يظهر منها إلا أول { NUMBER($shown) }.
catalog-full-list = القائمة أطول من اللازم: { $count ->
    [one] لا يظهر نموذج واحد آخر.
    [two] لا يظهر نموذجان آخران.
    [few] لا تظهر { $count } نماذج أخرى.
    [many] لا يظهر { $count } نموذجًا آخر.
    *[other] لا يظهر { $count } نموذج آخر.
    }

## Why the server doesn’t download a model

pull-name = لا يبدو هذا اسم نموذج. جرّب gemma4:e2b أو hf.co/OWNER/REPOSITORY:Q4_K_M.
pull-host = «{ $host }» ليس اسم مضيف. تحقق من عدم وجود خطأ إملائي.
pull-no-owner = أسماء النماذج على { $host } تبدأ باسم المضيف وشرطة مائلة، ثم OWNER/REPOSITORY:Q4_K_M.
pull-plain-http = لا ينزّل الخادم إلا عبر اتصالات مشفّرة. احذف «http://».
pull-not-offered = لا ينزّل الخادم نماذج لزوار من أجهزة أخرى. للسماح بذلك، شغّله باستخدام gemtab --allow-pull.
pull-registry = لا ينزّل الخادم من { $host }. للسماح بذلك، شغّله باستخدام gemtab --pull-from مع اسم هذا المضيف.
pull-busy = يجري تنزيل { $model }. انتظر حتى يكتمل، أو أوقفه.
pull-late = وصل الطلب إلى الخادم ببطء شديد. تحقق من اتصالك، ثم أعد المحاولة.
pull-tls = لا يمكن للخادم استخدام HTTPS. ثبّت الشهادات عليه: على Debian وUbuntu، ثبّت الحزمة ca-certificates.
pull-network = تعذّر الوصول إلى { $host }. تحقق من اتصال الخادم بالإنترنت.
pull-certificate = لم يتمكن { $host } من إثبات أنه الخادم الصحيح. إذا كان في شبكتك وكيل يفك تشفير الاتصالات، فثبّت شهادته على الخادم.
pull-no-such-model = ليس لدى { $host } نموذج باسم { $model }. تحقق من عدم وجود خطأ إملائي في الاسم.
pull-private = لا يتيح { $host } النموذج { $model } إلا لأصحاب الحسابات، أو أنه غير موجود لديه. لا يمكن تنزيل سوى النماذج العامة.
pull-status = لدى { $host } مشكلة (الحالة { $status }). أعد المحاولة لاحقًا.
pull-redirect = يحيل { $host } إلى عنوان غير آمن، لذا لم يُنزَّل شيء.
pull-manifest = يصف { $host } هذا النموذج بطريقة لا يمكن لبرنامج gemtab استخدامها.
pull-pieces = هذا النموذج مقسّم، وعدد ملفاته { NUMBER($files) }. يحتاج gemtab إلى ملف GGUF واحد.
pull-quantization = لا توجد نسخة { $wanted } من هذا النموذج. المتاح: { $there }
pull-wrong-length = أرسل { $host } ملفًا بحجم خاطئ. أعد المحاولة لاحقًا.
pull-wrong-digest = الملف الوارد من { $host } تالف، لذا حُذف. أعد المحاولة. إذا تكرر ذلك، فهناك ما يغيّر الملف في الطريق.
pull-no-room = لا توجد مساحة كافية على الخادم: المطلوب { $needed }، والخالي { $free } في { $folder }.
pull-full = قرص الخادم ممتلئ: يلزم { $needed } إضافي، والخالي { $free } في { $folder }. حُذف الملف غير المكتمل.
pull-disk = لا يمكن للخادم القراءة من { $path } أو الكتابة إليه. تحقق من أذوناته.
pull-locked = ينزّل برنامج آخر الملف نفسه إلى هذا المجلد. انتظر حتى يكتمل، أو أوقفه.
pull-begun-by-ollama = بدأ Ollama تنزيل هذا النموذج. أكمله باستخدام «ollama pull».
pull-vanished = اختفى ملف تم تنزيله: يحذف Ollama عند بدء تشغيله الملفات التي لا يستخدمها أي نموذج. أعد المحاولة.
pull-part = { $file } لا يتوافق مع بقية أجزاء النموذج.

## Documents

document-show = عرض { $name }
document-text = النص
document-reading = جارٍ قراءة المستند
document-previous = الجزء السابق
document-next = الجزء التالي
document-page = الصفحة { NUMBER($number) }
document-chapter = الفصل { NUMBER($number) }
document-line = السطر { NUMBER($number) }
document-lines = الأسطر من { NUMBER($first) } إلى { NUMBER($last) }
document-row = الصف { NUMBER($number) }
document-rows = الصفوف من { NUMBER($first) } إلى { NUMBER($last) }
document-paragraph = الفقرة { NUMBER($number) }
document-paragraphs = الفقرات من { NUMBER($first) } إلى { NUMBER($last) }
document-page-count = { $count ->
    [one] صفحة واحدة
    [two] صفحتان
    [few] { $count } صفحات
    [many] { $count } صفحة
    *[other] { $count } صفحة
    }
document-chapter-count = { $count ->
    [one] فصل واحد
    [two] فصلان
    [few] { $count } فصول
    [many] { $count } فصلًا
    *[other] { $count } فصل
    }
document-line-count = { $count ->
    [one] سطر واحد
    [two] سطران
    [few] { $count } أسطر
    [many] { $count } سطرًا
    *[other] { $count } سطر
    }
document-row-count = { $count ->
    [one] صف واحد
    [two] صفان
    [few] { $count } صفوف
    [many] { $count } صفًا
    *[other] { $count } صف
    }
document-paragraph-count = { $count ->
    [one] فقرة واحدة
    [two] فقرتان
    [few] { $count } فقرات
    [many] { $count } فقرة
    *[other] { $count } فقرة
    }
about-tokens = { $size } · نحو { $tokens ->
    [one] رمز واحد
    [two] رمزين
    [few] { $tokens } رموز
    [many] { $tokens } رمزًا
    *[other] { $tokens } رمز
    }
cited-page = ص { NUMBER($number) }
cited-chapter = فصل { NUMBER($number) }
cited-line = سطر { NUMBER($number) }
cited-row = صف { NUMBER($number) }
cited-paragraph = ¶ { NUMBER($number) }
citation-open = فتح { $name }، { $place }
given-pages = صفحات { $name } المقدمة إلى النموذج: { NUMBER($given) } من { NUMBER($of) }.
given-chapters = فصول { $name } المقدمة إلى النموذج: { NUMBER($given) } من { NUMBER($of) }.
given-passages = مقاطع { $name } المقدمة إلى النموذج: { NUMBER($given) } من { NUMBER($of) }.
documents-choosing = جارٍ اختيار ما يناسب السؤال
attach-reading-share = جارٍ قراءة { $name }، { NUMBER($percent) }٪
pasted-file = نص ملصق.txt
pasted-long = أُرفق النص الطويل كمستند.
paste-as-text = لصق كنص
document-some-scanned = { $pages ->
    [one] صفحة واحدة عبارة عن صورة، ولا يمكن قراءة نصها.
    [two] صفحتان عبارة عن صورتين، ولا يمكن قراءة نصهما.
    [few] { $pages } صفحات عبارة عن صور، ولا يمكن قراءة نصها.
    [many] { $pages } صفحة عبارة عن صور، ولا يمكن قراءة نصها.
    *[other] { $pages } صفحة عبارة عن صور، ولا يمكن قراءة نصها.
    }
document-scanned = لا يحتوي ملف PDF هذا على نص، بل على صور صفحات فقط. استخدم برنامجًا للتعرف على النص، أو أرفق صور الصفحات.
document-blank = لا يوجد نص في هذا الملف. اختر ملفًا آخر.
document-too-large = أكبر من المسموح: { $size }، والحد الأقصى { $limit }. قسّم الملف، ثم أرفق الجزء الذي تحتاج إليه.
document-expands = تحتاج قراءة هذا الملف إلى ذاكرة أكبر من المسموح. احفظ الجزء الذي تحتاج إليه في ملف مستقل، ثم أرفقه.
document-too-many-pages = أطول من المسموح: عدد الصفحات { NUMBER($pages) }، والحد الأقصى { NUMBER($limit) }. قسّم الملف، ثم أرفق الجزء الذي تحتاج إليه.
document-encrypted = يحتاج هذا الملف إلى كلمة مرور. احفظ نسخة من دونها، ثم أرفقها.
document-unsupported = لا يمكن إرفاق سوى الصور والصوت والفيديو والنصوص وملفات PDF وWord وEPUB. احفظ الملف بأحد هذه التنسيقات، ثم أرفقه.
document-damaged = هذا الملف تالف. احفظه من جديد بالبرنامج الذي أنشأه، ثم أرفقه.
document-missing = تعذّر تحميل قارئ المستندات. تحقق من اتصالك، ثم أعد المحاولة.
document-crashed = تعذّرت قراءة هذا الملف. احفظه من جديد أو كنص عادي، ثم أرفقه.
document-too-long = استغرقت القراءة وقتًا أطول من اللازم، لذا أُوقفت. احفظ الجزء الذي تحتاج إليه في ملف مستقل، ثم أرفقه.

## Presets and prompts

presets-title = الإعدادات المسبقة
presets-hint = عند اختيار إعداد مسبق، تحل تعليماته وإعداداته محل تعليمات هذه المحادثة وإعداداتها. ولا يغيّر تعديله لاحقًا هذه المحادثة. وتأتي تعليمات المجلد أولًا دائمًا.
preset-word = إعداد مسبق
preset-new = إعداد مسبق جديد
preset-of-this = إنشاء من هذه المحادثة
preset-leave = بلا إعداد مسبق
preset-choose = اختيار إعداد مسبق
preset-of = الإعداد المسبق: { $name }
preset-taken = الإعداد المسبق «{ $name }» قيد الاستخدام.
preset-left = لا يُستخدم أي إعداد مسبق.
preset-icon = الأيقونة
preset-model = النموذج
preset-adapter = المحوّل
preset-unchanged = من دون تغيير
preset-sampling = أخذ عينات خاص
preset-sampling-hint = وإلا تُستخدم الإعدادات الافتراضية للنموذج.
preset-no-model = { $name } ليس في قائمة النماذج، لذا يبقى النموذج كما هو.
preset-no-adapter = المحوّل «{ $name }» غير متاح لهذا النموذج، لذا تبقى المحوّلات كما هي.
icon-chat = فقاعة كلام
icon-pencil = قلم رصاص
icon-code = كود
icon-document = مستند
icon-bulb = مصباح
icon-magnifier = عدسة مكبّرة
icon-picture = صورة
icon-chart = مخطط بياني
prompts-title = المطالبات
prompts-hint = اكتب / في رسالة فارغة لإدراج مطالبة.
prompts-manage = كل المطالبات…
prompts-found = { $count ->
    [one] مطالبة واحدة.
    [two] مطالبتان.
    [few] { $count } مطالبات.
    [many] { $count } مطالبة.
    *[other] { $count } مطالبة.
    }
prompt-word = مطالبة
prompt-new = مطالبة جديدة
prompt-text = النص
prompt-hint = يشير { $variable } إلى موضع يُملأ لاحقًا.
prompt-fill = ملء المطالبة
prompt-insert = إدراج
named-edit = تعديل
named-deleted = حُذف «{ $name }».
named-export-all = تصدير الإعدادات المسبقة والمطالبات
named-file = gemtab-presets.json
named-imported = الإعدادات المسبقة المستوردة: { NUMBER($presets) }، والمطالبات: { NUMBER($prompts) }. الموجود هنا بالفعل: { NUMBER($known) }.
presets-format = لا يحتوي الملف على إعدادات مسبقة أو مطالبات من gemtab.
presets-too-many = عدد الإعدادات المسبقة والمطالبات في الملف { NUMBER($count) }، والحد الأقصى للاستيراد { NUMBER($most) }.
presets-text = حجم نص «{ $name }» هو { $size }، والحد الأقصى { $most }.
presets-sampling = في الإعداد المسبق «{ $name }» قيمة خارج النطاق لأخذ العينات.
chip-temperature = درجة الحرارة { $number }
chip-context = السياق { NUMBER($tokens) }
chip-longest = حتى { $tokens ->
    [one] رمز واحد
    [two] رمزين
    [few] { $tokens } رموز
    [many] { $tokens } رمزًا
    *[other] { $tokens } رمز
    }
