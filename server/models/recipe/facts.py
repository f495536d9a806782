"""Hand-written small knowledge base: words, categories, common facts."""

CAPITALS = [
    l.split(":")
    for l in "France:Paris,Germany:Berlin,Italy:Rome,Spain:Madrid,Portugal:Lisbon,Austria:Vienna,Switzerland:Bern,Poland:Warsaw,Greece:Athens,Sweden:Stockholm,Norway:Oslo,Finland:Helsinki,Denmark:Copenhagen,Iceland:Reykjavik,Ireland:Dublin,the United Kingdom:London,England:London,Belgium:Brussels,the Netherlands:Amsterdam,Hungary:Budapest,the Czech Republic:Prague,Romania:Bucharest,Bulgaria:Sofia,Croatia:Zagreb,Serbia:Belgrade,Ukraine:Kyiv,Russia:Moscow,Turkey:Ankara,Egypt:Cairo,Morocco:Rabat,Kenya:Nairobi,South Africa:Pretoria,Nigeria:Abuja,Ethiopia:Addis Ababa,India:New Delhi,China:Beijing,Japan:Tokyo,South Korea:Seoul,Thailand:Bangkok,Vietnam:Hanoi,Indonesia:Jakarta,Australia:Canberra,New Zealand:Wellington,Canada:Ottawa,the United States:Washington,Mexico:Mexico City,Brazil:Brasilia,Argentina:Buenos Aires,Chile:Santiago,Peru:Lima,Cuba:Havana,Colombia:Bogota,Israel:Jerusalem,Iran:Tehran,Iraq:Baghdad,Saudi Arabia:Riyadh,Pakistan:Islamabad,the Philippines:Manila,Scotland:Edinburgh,Wales:Cardiff".split(
        ","
    )
]
OPP = [
    l.split(":")
    for l in "hot:cold,big:small,fast:slow,up:down,left:right,day:night,black:white,open:closed,happy:sad,good:bad,old:young,new:old,high:low,long:short,strong:weak,rich:poor,hard:soft,light:dark,wet:dry,full:empty,early:late,loud:quiet,near:far,in:out,on:off,yes:no,true:false,start:end,clean:dirty,easy:difficult,thick:thin,wide:narrow,deep:shallow,heavy:light,sweet:sour,love:hate,win:lose,buy:sell,push:pull,give:take,come:go,first:last,north:south,east:west,summer:winter,front:back,top:bottom,inside:outside,always:never,many:few,more:less,before:after,question:answer,friend:enemy,war:peace,alive:dead,asleep:awake,right:wrong,smooth:rough,tall:short".split(
        ","
    )
]
SOUND = [
    l.split(":")
    for l in "dog:barks:woof,cat:meows:meow,cow:moos:moo,sheep:bleats:baa,pig:grunts:oink,horse:neighs:neigh,duck:quacks:quack,lion:roars:roar,bee:buzzes:buzz,snake:hisses:hiss,frog:croaks:croak,owl:hoots:hoot,rooster:crows:cock-a-doodle-doo,mouse:squeaks:squeak,wolf:howls:howl,bird:sings:tweet".split(
        ","
    )
]
BABY = [
    l.split(":")
    for l in "dog:puppy,cat:kitten,cow:calf,sheep:lamb,horse:foal,pig:piglet,duck:duckling,goose:gosling,bear:cub,lion:cub,goat:kid,frog:tadpole,kangaroo:joey,deer:fawn,chicken:chick,swan:cygnet,elephant:calf,owl:owlet".split(
        ","
    )
]
LEGS = [
    l.split(":")
    for l in "dog:four,cat:four,spider:eight,insect:six,bird:two,ant:six,horse:four,human:two,snake:no,octopus:no,bee:six,cow:four,chicken:two,table:four".split(
        ","
    )
]
COLOR = [
    l.split(":")
    for l in "the sky:blue,grass:green,snow:white,a banana:yellow,blood:red,a tomato:red,coal:black,the sun:yellow,a carrot:orange,a lemon:yellow,a leaf:green,an elephant:grey,a flamingo:pink,milk:white,chocolate:brown,a strawberry:red,a polar bear:white,the sea:blue,a pumpkin:orange,a cucumber:green,salt:white,an eggplant:purple,a raven:black".split(
        ","
    )
]
PLANETS = "Mercury Venus Earth Mars Jupiter Saturn Uranus Neptune".split()
ORD = "first second third fourth fifth sixth seventh eighth".split()
CONT = [
    l.split(":")
    for l in "France:Europe,Germany:Europe,Italy:Europe,Spain:Europe,Japan:Asia,China:Asia,India:Asia,Egypt:Africa,Kenya:Africa,Nigeria:Africa,Brazil:South America,Peru:South America,Argentina:South America,Canada:North America,Mexico:North America,Norway:Europe,Thailand:Asia,Morocco:Africa".split(
        ","
    )
]
PLURAL = [
    l.split(":")
    for l in "mouse:mice,child:children,man:men,woman:women,foot:feet,tooth:teeth,goose:geese,sheep:sheep,fish:fish,person:people,cat:cats,dog:dogs,box:boxes,city:cities,leaf:leaves,knife:knives,bus:buses,book:books,baby:babies,house:houses,tree:trees,wolf:wolves".split(
        ","
    )
]
PAST = [
    l.split(":")
    for l in "go:went,eat:ate,see:saw,run:ran,come:came,take:took,give:gave,write:wrote,read:read,sing:sang,swim:swam,drink:drank,buy:bought,think:thought,make:made,have:had,be:was,do:did,speak:spoke,sleep:slept,play:played,walk:walked,find:found,know:knew".split(
        ","
    )
]
LANG = [
    l.split(":")
    for l in "France:French,Germany:German,Italy:Italian,Spain:Spanish,Japan:Japanese,China:Chinese,Brazil:Portuguese,Portugal:Portuguese,Russia:Russian,Mexico:Spanish,Austria:German,England:English,Greece:Greek,Poland:Polish,Sweden:Swedish,Turkey:Turkish,Egypt:Arabic,Argentina:Spanish,Finland:Finnish,the Netherlands:Dutch".split(
        ","
    )
]
SYN = [
    l.split(":")
    for l in "big:large,small:little,fast:quick,happy:glad,sad:unhappy,smart:clever,begin:start,end:finish,pretty:beautiful,angry:mad,scared:afraid,rich:wealthy,hard:difficult,simple:easy,sick:ill,quiet:silent,cold:chilly,tired:sleepy,funny:amusing,strange:odd".split(
        ","
    )
]
HELLO = [
    l.split(":")
    for l in "French:bonjour,German:hallo,Spanish:hola,Italian:ciao,Portuguese:olá,Dutch:hallo,Swedish:hej,Polish:cześć,Japanese:konnichiwa,Turkish:merhaba,Finnish:hei".split(
        ","
    )
]
THANK = [
    l.split(":")
    for l in "French:merci,German:danke,Spanish:gracias,Italian:grazie,Portuguese:obrigado,Swedish:tack,Japanese:arigatou,Dutch:dank je".split(
        ","
    )
]
TRANS = [
    l.split(":")
    for l in "cat:Katze:chat:gato,dog:Hund:chien:perro,house:Haus:maison:casa,water:Wasser:eau:agua,bread:Brot:pain:pan,sun:Sonne:soleil:sol,moon:Mond:lune:luna,red:rot:rouge:rojo,blue:blau:bleu:azul,green:grün:vert:verde,yes:ja:oui:sí,no:nein:non:no,one:eins:un:uno,two:zwei:deux:dos,three:drei:trois:tres,book:Buch:livre:libro,apple:Apfel:pomme:manzana,milk:Milch:lait:leche,friend:Freund:ami:amigo,tree:Baum:arbre:árbol".split(
        ","
    )
]
# question variants | long answer | short answer
MISC = [
    x.split("|")
    for x in """How many days are in a week?;How many days does a week have?;Number of days in a week?|A week has 7 days.|7
How many months are in a year?;How many months does a year have?|A year has 12 months.|12
How many days are in a year?;How many days does a year have?|A year has 365 days, and a leap year has 366.|365
How many hours are in a day?;How many hours does a day have?|A day has 24 hours.|24
How many minutes are in an hour?;How many minutes does an hour have?|An hour has 60 minutes.|60
How many seconds are in a minute?;How many seconds does a minute have?|A minute has 60 seconds.|60
How many weeks are in a year?;How many weeks does a year have?|A year has 52 weeks.|52
How many centimetres are in a metre?;How many cm are in a meter?|A metre has 100 centimetres.|100
How many metres are in a kilometre?;How many meters are in a kilometer?|A kilometre has 1000 metres.|1000
How many grams are in a kilogram?;How many grams does a kilogram have?|A kilogram has 1000 grams.|1000
How many millilitres are in a litre?;How many ml are in a liter?|A litre has 1000 millilitres.|1000
How many bits are in a byte?;How many bits does a byte have?|A byte has 8 bits.|8
How many bytes are in a kilobyte?;How many bytes does a kilobyte have?|A kilobyte has 1000 bytes, and a kibibyte has 1024.|1000
How many letters are in the alphabet?;How many letters does the English alphabet have?|The English alphabet has 26 letters.|26
What are the vowels?;Which letters are vowels?;List the vowels.|The vowels are A, E, I, O and U.|
How many sides does a triangle have?;How many corners does a triangle have?|A triangle has 3 sides and 3 corners.|3
How many sides does a square have?;How many corners does a square have?|A square has 4 equal sides and 4 corners.|4
How many sides does a hexagon have?;How many corners does a hexagon have?|A hexagon has 6 sides.|6
How many sides does a pentagon have?;How many corners does a pentagon have?|A pentagon has 5 sides.|5
How many degrees are in a circle?;How many degrees does a circle have?|A circle has 360 degrees.|360
How many degrees are in a right angle?;What is a right angle?|A right angle has 90 degrees.|90
What is pi?;What is the value of pi?;How much is pi?|Pi is about 3.14159.|3.14
At what temperature does water boil?;When does water boil?;What is the boiling point of water?|Water boils at 100 degrees Celsius.|100
At what temperature does water freeze?;When does water freeze?;What is the freezing point of water?|Water freezes at 0 degrees Celsius.|0
What is the largest planet?;Which planet is the biggest?;What is the biggest planet in the solar system?|Jupiter is the largest planet.|Jupiter
What is the smallest planet?;Which planet is the smallest?|Mercury is the smallest planet.|Mercury
Which planet is the hottest?;What is the hottest planet?|Venus is the hottest planet.|Venus
Which planet has rings?;Which planet is famous for its rings?|Saturn is famous for its rings.|Saturn
Which planet is the red planet?;What is the red planet?|Mars is the red planet.|Mars
Which planet do we live on?;What planet do we live on?;What is our planet?|We live on the Earth.|Earth
How many planets are there?;How many planets does the solar system have?;How many planets are in the solar system?|The solar system has 8 planets.|8
List the planets.;Name the planets of the solar system.;What are the planets?|Mercury, Venus, Earth, Mars, Jupiter, Saturn, Uranus, Neptune|
What is the sun?;Is the sun a star?|The sun is a star.|star
What is the moon?;What goes around the Earth?|The moon goes around the Earth.|moon
What is the largest animal?;Which animal is the biggest?;What is the biggest animal in the world?|The blue whale is the largest animal.|whale
What is the fastest animal on land?;Which land animal is the fastest?|The cheetah is the fastest animal on land.|cheetah
What is the tallest animal?;Which animal has a long neck?|The giraffe is the tallest animal, with a very long neck.|giraffe
What is the largest land animal?;Which land animal is the biggest?|The elephant is the largest land animal.|elephant
What is the largest ocean?;Which ocean is the biggest?|The Pacific is the largest ocean.|Pacific
What is the highest mountain?;Which mountain is the tallest in the world?;What is the tallest mountain?|Mount Everest is the highest mountain.|Everest
What is the longest river?;Which river is the longest?|The Nile is often called the longest river.|Nile
What is the largest country?;Which country is the biggest?|Russia is the largest country.|Russia
What is the smallest country?;Which country is the smallest?|Vatican City is the smallest country.|Vatican
What is the largest continent?;Which continent is the biggest?|Asia is the largest continent.|Asia
How many continents are there?;How many continents does the Earth have?|There are 7 continents.|7
What is the coldest continent?;Where do penguins live?|Penguins live in Antarctica, the coldest continent.|Antarctica
What do bees make?;What do bees produce?|Bees make honey.|honey
What do cows give us?;What do cows produce?|Cows give us milk.|milk
What do cows eat?;What does a cow eat?|Cows eat grass.|grass
What do we breathe?;What do people breathe?|We breathe air with oxygen.|air
What do plants need?;What do plants need to grow?|Plants need light, water and air.|light
What is H2O?;What is the formula H2O?|H2O is water.|water
What is water made of?;What is the chemical formula of water?|Water is H2O, hydrogen and oxygen.|H2O
What is ice?;What is frozen water called?|Ice is frozen water.|ice
What is steam?;What happens when water boils?|Steam is water as a gas.|steam
What do you get when you mix blue and yellow?;Which colour do blue and yellow make?;Mix blue and yellow|Blue and yellow make green.|green
What do you get when you mix red and yellow?;Which colour do red and yellow make?;Mix red and yellow|Red and yellow make orange.|orange
What do you get when you mix red and blue?;Which colour do red and blue make?;Mix red and blue|Red and blue make purple.|purple
What do you get when you mix black and white?;Which colour do black and white make?|Black and white make grey.|grey
What do you get when you mix red and white?;Which colour do red and white make?|Red and white make pink.|pink
What are the primary colours?;What are the primary colors?|The primary colours are red, yellow and blue.|
What are the seasons?;Name the four seasons.;List the seasons.|Spring, summer, autumn, winter|
How many seasons are there?;How many seasons does a year have?|There are 4 seasons.|4
Which season is the coldest?;What is the coldest season?|Winter is the coldest season.|winter
Which season is the warmest?;What is the hottest season?|Summer is the warmest season.|summer
Which season comes after winter?;What comes after winter?|Spring comes after winter.|spring
Which season comes after summer?;What comes after summer?|Autumn comes after summer.|autumn
Where does the sun rise?;In which direction does the sun rise?|The sun rises in the east.|east
Where does the sun set?;In which direction does the sun set?|The sun sets in the west.|west
What are the four directions?;What are the compass directions?|North, east, south, west|
How many fingers do I have?;How many fingers does a hand have?|A hand has 5 fingers.|5
How many eyes do people have?;How many eyes does a human have?|People have 2 eyes.|2
How many wheels does a car have?;How many wheels has a car?|A car has 4 wheels.|4
How many wheels does a bicycle have?;How many wheels does a bike have?|A bicycle has 2 wheels.|2
How many strings does a guitar have?;How many strings has a guitar?|A guitar has 6 strings.|6
How many strings does a violin have?;How many strings has a violin?|A violin has 4 strings.|4
How many legs do spiders have?;How many legs has a spider?|A spider has 8 legs.|8
How many colours does a rainbow have?;What are the colours of the rainbow?|A rainbow has 7 colours: red, orange, yellow, green, blue, indigo and violet.|7
What is a dozen?;How many is a dozen?|A dozen is 12.|12
What is a decade?;How many years is a decade?|A decade is 10 years.|10
What is a century?;How many years is a century?|A century is 100 years.|100
What is a GPU?;What does GPU mean?;Explain GPU.|A GPU is a graphics processor. It is good at many small calculations at once.|
What is WebGPU?;Explain WebGPU.;What does WebGPU do?|WebGPU lets a web page use your graphics card.|
What is a browser?;What does a browser do?|A browser is a program that shows web pages.|
What is a CPU?;What does CPU mean?|A CPU is the main processor of a computer.|
What is RAM?;What does RAM mean?|RAM is the working memory of a computer.|
What is an AI?;What is artificial intelligence?;What does AI mean?|AI means artificial intelligence: programs that learn from examples.|
What is a language model?;What does a language model do?|A language model is a program that predicts the next token of a text.|
What is a token?;What does token mean?|A token is a small piece of text, for example a word or a letter.|
What is JSON?;What does JSON mean?|JSON is a simple text format for data.|
What is HTML?;What does HTML do?|HTML is the language of web pages.|
What is Python?;Is Python a programming language?|Python is a programming language.|
What is Rust?;Is Rust a programming language?|Rust is a fast and safe programming language.|
What is WebAssembly?;What is WASM?|WebAssembly is fast program code that runs in the browser.|
Who wrote Romeo and Juliet?;Who is the author of Hamlet?;Who wrote Hamlet?|William Shakespeare wrote it.|Shakespeare
Who painted the Mona Lisa?;Who made the Mona Lisa?|Leonardo da Vinci painted the Mona Lisa.|Leonardo
Who was the first man on the moon?;Who first walked on the moon?|Neil Armstrong was the first man on the moon.|Armstrong
When did the first man land on the moon?;In which year was the first moon landing?|The first moon landing was in 1969.|1969
Who discovered gravity?;Who was Isaac Newton?|Isaac Newton described gravity.|Newton
Who was Albert Einstein?;Who made the theory of relativity?|Albert Einstein made the theory of relativity.|Einstein
What is the Eiffel Tower?;Where is the Eiffel Tower?|The Eiffel Tower is in Paris.|Paris
Where is Big Ben?;In which city is Big Ben?|Big Ben is in London.|London
Where is the Colosseum?;In which city is the Colosseum?|The Colosseum is in Rome.|Rome
Where are the pyramids?;In which country are the pyramids?|The great pyramids are in Egypt.|Egypt
What currency is used in Japan?;What is the money in Japan?|Japan uses the yen.|yen
What currency is used in Germany?;What is the money in France?;What is the money in Germany?|Germany and France use the euro.|euro
What currency is used in the United States?;What is the money in the United States?|The United States uses the dollar.|dollar
What is the opposite of a dream?;Is a tomato a fruit?|A tomato is a fruit, but we use it as a vegetable.|fruit
Is a whale a fish?;Is a dolphin a fish?|No, it is a mammal.|no
Is a spider an insect?;Are spiders insects?|No, spiders are not insects.|no
Can penguins fly?;Do penguins fly?|No, penguins cannot fly, but they swim well.|no
Can birds fly?;Do birds fly?|Most birds can fly.|yes
Can fish swim?;Do fish swim?|Yes, fish can swim.|yes
Is the Earth round?;What shape is the Earth?|The Earth is round like a ball.|round
Is fire hot?;Is ice cold?|Yes, it is.|yes""".splitlines()
]
CATS = {
    "colours": "red orange yellow green blue purple pink brown black white grey".split(),
    "animals": "dog cat cow horse sheep lion tiger elephant mouse rabbit fox bear wolf frog duck owl".split(),
    "fruits": "apple banana orange pear grape cherry lemon plum mango peach kiwi melon".split(),
    "vegetables": "carrot potato tomato onion cucumber spinach pepper pea bean cabbage".split(),
    "countries": "France Germany Italy Spain Japan China India Brazil Canada Egypt Kenya Mexico Norway Poland".split(),
    "planets": PLANETS,
    "shapes": "circle square triangle star cross rectangle hexagon".split(),
    "instruments": "piano guitar violin drum flute trumpet harp".split(),
    "sports": "football tennis swimming running hockey basketball volleyball".split(),
    "cities": "Paris London Berlin Rome Madrid Tokyo Cairo Lima Oslo Vienna".split(),
    "birds": "eagle owl duck swan sparrow robin parrot pigeon".split(),
    "tools": "hammer saw screwdriver drill wrench pliers".split(),
    "jobs": "teacher doctor baker farmer pilot nurse driver cook".split(),
    "drinks": "water tea coffee milk juice lemonade".split(),
    "clothes": "shirt shoes hat socks jacket scarf gloves".split(),
    "programming languages": "Python Rust JavaScript C Go Ruby Java Swift".split(),
    "trees": "oak pine birch maple willow beech".split(),
    "flowers": "rose tulip daisy lily sunflower violet".split(),
}
SING = {
    k: {"countries": "country", "cities": "city", "clothes": "piece of clothing"}.get(k, k[:-1]) for k in CATS
}
NAMES = "Anna Ben Carla David Emma Felix Grace Henry Ida Jack Kate Leo Maria Noah Olivia Paul Quinn Rosa Sam Tina Uma Victor Wendy Xavier Yara Zoe Alice Bob Charlie Diana Eric Fiona George Hannah Ivan Julia Kevin Laura Max Nina Oscar Petra Robin Sara Tom Ursula Vera Will Yusuf Lena Mia Luca Omar Priya Ravi Mei Chen Yuki Hiro Ali Fatima Amina Kofi Diego Sofia Pedro Lucia Ingrid Lars Sven Olga Boris Marek Jana Alex Chris Jordan Taylor Morgan Sandra Peter James John Mary Linda Susan Michael Daniel Thomas Sophie Marie Pierre Hans Klaus Greta Nora Emil Ella Liam Lucas Ethan Ava Isla Ruby Jonas Simon Martin Stefan Karl Eva Helen Irene Ronja Theo Hugo Arthur Louis Jules Clara Elsa Freya Astrid".split()
CITIES = (
    [b for _, b in CAPITALS]
    + "Munich Hamburg Milan Barcelona Lyon Porto Zurich Geneva Boston Chicago Seattle Dallas Sydney Toronto Osaka Mumbai Shanghai Manchester Glasgow Naples Seville Krakow Bergen Gothenburg Basel Cologne Dresden Leipzig Venice Florence Marseille Bristol Leeds Oxford Cambridge Houston Denver Miami Melbourne Vancouver Montreal Istanbul Dubai Nice".split()
)
PETS = "dog cat rabbit hamster parrot fish turtle mouse horse snake budgie goldfish pony lizard".split()
FOODS = "pizza pasta rice soup salad bread cheese chocolate apples bananas fish noodles curry sushi pancakes ice cream potatoes burgers cake tacos strawberries eggs".replace(
    "ice cream", "ice_cream"
).split()
FOODS = [f.replace("_", " ") for f in FOODS]
WORDS = sorted(
    set(
        (
            " ".join(" ".join(v) for v in CATS.values()).lower()
            + " "
            + " ".join(a + " " + b for a, b in OPP + SYN + BABY + PLURAL + PAST)
            + """
time year people way day man thing woman life child world school state family student group country problem hand part place case week company system program question work government number night point home water room mother area money story fact month lot right study book eye job word business issue side kind head house service friend father power hour game line end member law car city community name president team minute idea kid body information back parent face others level office door health person art war history party result change morning reason research girl guy moment air teacher force education foot boy age policy process music market sense nation plan college interest death experience effect use class control field development role effort rate heart drug show leader light voice wife police mind price report decision son view relationship town road arm difference value building action season society tax director position player record paper space ground form event official matter center couple site project activity star table need court oil situation cost industry figure street image phone data picture practice piece land product doctor wall news test movie north love support technology step baby computer type attention film tree source hair window culture chance brother energy period course summer plant opportunity term letter condition choice rule daughter south husband floor campaign material population call economy hospital church risk fire future bank sport century garden kitchen bread butter cheese sugar salt pepper honey bottle glass plate spoon fork knife chair sofa lamp clock mirror bed pillow blanket towel soap brush comb shirt dress coat pants belt ring watch bag box basket ball bat kite doll toy puzzle card dice chess piano guitar drum violin flute song dance stage actor singer painter writer poet artist king queen prince princess castle tower bridge river lake sea ocean island beach sand wave stone rock hill mountain valley forest jungle desert farm barn fence field grass flower rose leaf root seed fruit apple banana cherry grape lemon mango peach pear plum berry nut bean corn rice wheat potato tomato carrot onion salad soup meat fish egg milk juice tea coffee cake pie cookie candy chocolate breakfast lunch dinner snack sun moon planet comet rocket space sky cloud rain snow storm wind thunder rainbow spring summer autumn winter monday friday sunday hello goodbye please thanks sorry welcome yes maybe never always often today tomorrow yesterday begin stop go run walk jump swim fly climb sit stand sleep wake eat drink cook bake wash clean open close read write draw paint sing play work learn teach think know believe hope dream want need like love hate laugh smile cry shout whisper listen hear see look watch touch feel smell taste give take send bring carry throw catch push pull turn move build break cut fix help find lose win buy sell pay spend save keep hold drop big small long short tall high low wide narrow thick thin heavy light fast slow early late old young new hot cold warm cool wet dry clean dirty bright dark loud quiet soft hard rough smooth sharp sweet sour bitter fresh rich poor happy sad angry afraid brave calm kind nice funny clever smart silly lazy busy tired hungry thirsty healthy sick strong weak safe free full empty simple easy difficult strange normal common rare special famous secret golden silver wooden plastic metal paper cotton leather diamond crystal magic dragon wizard witch ghost monster robot alien pirate knight sailor soldier pilot driver farmer baker butcher tailor nurse dentist lawyer judge teacher pebble browser model token tensor layer kernel shader memory cache window screen keyboard mouse button click scroll page link file folder image audio video camera speaker microphone network server client cloud internet website password email message chat code script function variable string integer float array list object class method loop branch error bug debug test compile deploy python javascript rust linux docker github google ollama gemma strawberry mississippi banana elephant giraffe kangaroo penguin dolphin whale shark octopus butterfly spider ant bee bird eagle parrot pigeon sparrow chicken turkey goose monkey gorilla zebra camel donkey pony squirrel hedgehog badger otter beaver bison moose deer lizard turtle snake crocodile hippopotamus rhinoceros dinosaur umbrella bicycle airplane helicopter train station ticket passport suitcase holiday hotel museum library theatre cinema restaurant supermarket market pharmacy bakery bank post office stamp envelope pencil pen eraser ruler scissors glue notebook calendar"""
        )
        .lower()
        .split()
    )
)
WORDS = [w for w in WORDS if w.isascii() and w.isalpha() and len(w) > 1]


def an(w):
    return ("an " if w[0] in "aeiou" else "a ") + w


def fact(r):
    """-> (question, sentence answer, one-word answer or '', key)"""
    c = r.choice
    u = r.random()
    if u < 0.24:
        a, b = c(CAPITALS)
        if r.random() < 0.8:
            return (
                c(
                    [
                        "What is the capital of {}?",
                        "What's the capital of {}?",
                        "Capital of {}?",
                        "Which city is the capital of {}?",
                        "Tell me the capital of {}.",
                        "what is the capital city of {}",
                        "Name the capital of {}.",
                        "the capital of {}",
                        "Do you know the capital of {}?",
                    ]
                ).format(a),
                f"The capital of {a} is {b}.",
                b,
                a,
            )
        if b == "London":
            a = "the United Kingdom"
        return (
            c(
                [
                    "{} is the capital of which country?",
                    "Which country has the capital {}?",
                    "Of which country is {} the capital?",
                ]
            ).format(b),
            f"{b} is the capital of {a}.",
            a.replace("the ", ""),
            b,
        )
    if u < 0.36:
        a, b = c(OPP)
        if r.random() < 0.3 and b not in ("short", "old", "light", "right"):
            a, b = b, a
        if a in ("old", "right", "light", "short"):
            b = {"old": "young", "right": "left", "light": "dark", "short": "long"}[a]
        return (
            c(
                [
                    "What is the opposite of {}?",
                    "Opposite of {}?",
                    "What's the opposite of {}",
                    "Which word is the opposite of {}?",
                    "Tell me the opposite of {}.",
                    'What is the opposite of "{}"?',
                ]
            ).format(a),
            f"The opposite of {a} is {b}.",
            b,
            a,
        )
    if u < 0.40:
        a, b, s = c(SOUND)
        return (
            c(["What sound does {} make?", "What does {} say?", "Which sound does {} make?"]).format(an(a)),
            f"{an(a).capitalize()} {b}: {s}!",
            s,
            a,
        )
    if u < 0.44:
        a, b = c(BABY)
        return (
            c(
                [
                    "What is a baby {} called?",
                    "What do you call a young {}?",
                    "What is the name of a baby {}?",
                    "baby {}?",
                ]
            ).format(a),
            f"A baby {a} is called {an(b)}.",
            b,
            a,
        )
    if u < 0.47:
        a, b = c(LEGS)
        return (
            c(["How many legs does {} have?", "How many legs has {}?"]).format(an(a)),
            f"{an(a).capitalize()} has {b} legs.",
            b,
            a,
        )
    if u < 0.52:
        a, b = c(COLOR)
        return (
            c(
                [
                    "What colour is {}?",
                    "What color is {}?",
                    "Which colour does {} have?",
                    "what is the colour of {}",
                ]
            ).format(a),
            f"{a[0].upper() + a[1:]} is {b}.",
            b,
            a,
        )
    if u < 0.55:
        i = r.randrange(8)
        p = PLANETS[i]
        if r.random() < 0.5:
            return (
                c(["What is the {} planet from the sun?", "Which planet is the {} from the sun?"]).format(
                    ORD[i]
                ),
                f"{p} is the {ORD[i]} planet from the sun.",
                p,
                p,
            )
        return (
            c([f"Is {p} a planet?", f"What is {p}?"]),
            f"{p} is the {ORD[i]} planet from the sun.",
            "planet",
            p,
        )
    if u < 0.58:
        a, b = c(CONT)
        return (
            c(["On which continent is {}?", "Which continent is {} in?", "Where is {}?"]).format(a),
            f"{a} is in {b}.",
            b if " " not in b else "",
            a,
        )
    if u < 0.61:
        a, b = c(PLURAL)
        return (
            c(["What is the plural of {}?", "Plural of {}?", "Tell me the plural of {}."]).format(a),
            f"The plural of {a} is {b}.",
            b,
            a,
        )
    if u < 0.64:
        a, b = c(PAST)
        return (
            c(["What is the past tense of {}?", "Past tense of {}?", "What is the past of {}?"]).format(a),
            f"The past tense of {a} is {b}.",
            b,
            a,
        )
    if u < 0.67:
        a, b = c(LANG)
        return (
            c(
                [
                    "What language do people speak in {}?",
                    "Which language is spoken in {}?",
                    "What is the language of {}?",
                ]
            ).format(a),
            f"People in {a} speak {b}.",
            b,
            a,
        )
    if u < 0.69:
        a, b = c(SYN)
        return (
            c(["What is a synonym for {}?", "Another word for {}?", "Give me a synonym of {}."]).format(a),
            f"Another word for {a} is {b}.",
            b,
            a,
        )
    if u < 0.71:
        a, b = c(HELLO)
        return (
            c(["How do you say hello in {}?", "hello in {}", "What is hello in {}?"]).format(a),
            f"Hello in {a} is {b}.",
            b,
            a,
        )
    if u < 0.725:
        a, b = c(THANK)
        return (
            c(["How do you say thank you in {}?", "thank you in {}", "What is thank you in {}?"]).format(a),
            f"Thank you in {a} is {b}.",
            b if " " not in b else "",
            a,
        )
    if u < 0.76:
        x = c(TRANS)
        i = r.randrange(3)
        L = ["German", "French", "Spanish"][i]
        return (
            c(
                [
                    "What is {w} in {L}?",
                    "Translate {w} to {L}.",
                    "How do you say {w} in {L}?",
                    "{w} in {L}",
                    'Translate "{w}" into {L}.',
                ]
            ).format(w=x[0], L=L),
            f"{x[0].capitalize()} in {L} is {x[i + 1]}.",
            x[i + 1],
            x[0] + L,
        )
    q, a, s = c(MISC)
    q = c(q.split(";"))
    return q, a, s, q
